/** What the operator decides about containers of jobs. */

export const PULL_POLICIES = ['always', 'if-not-present', 'never'] as const;
export type PullPolicy = (typeof PULL_POLICIES)[number];

export type ContainerSettings = {
  /** Name or path of the engine's program. Default: podman, else docker. */
  engine?: string | undefined;
  /** Image of jobs that name none, where only containers are allowed. */
  image?: string | undefined;
  /** The first is the default, and jobs may choose among these. Default: `always`, so that no job uses what another one pulled with its password. */
  pullPolicies?: PullPolicy[] | undefined;
  /** `host:container[:ro]`, mounted into every container. */
  volumes?: string[] | undefined;
  /** `job` makes a network for each job; `host` shares the host's; `auto` is `job` where the engine can. */
  network?: 'auto' | 'job' | 'host' | undefined;
};

/** What all containers of a job get together with a shell's processes: see `limits.ts`. */
export const PULL_TIMEOUT = 600_000;
export const SERVICE_TIMEOUT = 30;
