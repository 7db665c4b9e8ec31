/** Command lines that make the containers of a job: pure, so that they can be read and tested. */
import type { JobLimits } from '../../limits.ts';

/** What a program in an image may do as its root: install packages and change owners, and nothing to the host. */
const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID', 'NET_BIND_SERVICE'];

export type ContainerSpec = {
  name: string;
  labels: Record<string, string>;
  /** Id of the image, never a text of the job. */
  image: string;
  entrypoint: readonly string[] | null;
  command: readonly string[];
  envFile: string;
  user: string | undefined;
  /** Who it is otherwise. */
  imageUser: string;
  platform: string | undefined;
  /** Directories that have the same path inside. */
  directories: readonly string[];
  volumes: readonly string[];
  workdir: string | undefined;
  network: Network;
  aliases: readonly string[];
  limits: JobLimits;
};

/** A network of the job's own, or that of the host; and the addresses of names in it, `name:address`. */
export type Network = { name: string; hosts: readonly string[] };

const repeated = (option: string, values: readonly string[]): string[] => values.map((value) => `${option}=${value}`);

/** Whether a user, with or without a group, is the root of its image. */
export const isRoot = (user: string): boolean => /^(?:|0|root)$/.test(user.split(':')[0] ?? '');

/** `create ...` for one container. */
export function createArguments(spec: ContainerSpec): string[] {
  const { network, limits, entrypoint } = spec;
  // The engine's option takes one word; the rest of an entrypoint goes before the command.
  const [program, ...more] = entrypoint ?? [];
  const override = entrypoint === null || entrypoint === undefined ? [] : [`--entrypoint=${program ?? ''}`];
  return [
    'create',
    `--name=${spec.name}`,
    ...repeated(
      '--label',
      Object.entries(spec.labels).map(([key, value]) => `${key}=${value}`),
    ),
    '--pull=never',
    '--cap-drop=ALL',
    // Podman gives what is named to every user, docker to root alone.
    ...(isRoot(spec.user || spec.imageUser) ? repeated('--cap-add', CAPABILITIES) : []),
    '--security-opt=no-new-privileges',
    `--env-file=${spec.envFile}`,
    ...(spec.user ? [`--user=${spec.user}`] : []),
    ...(spec.platform ? [`--platform=${spec.platform}`] : []),
    ...(spec.workdir ? [`--workdir=${spec.workdir}`] : []),
    ...spec.directories.map((directory) => `--mount=type=bind,source=${directory},target=${directory}`),
    ...repeated('--volume', spec.volumes),
    `--network=${network.name}`,
    ...(network.name === 'host' ? [] : repeated('--network-alias', spec.aliases)),
    ...repeated('--add-host', network.hosts),
    ...(limits.memoryBytes ? [`--memory=${limits.memoryBytes}`] : []),
    ...(limits.cpus ? [`--cpus=${limits.cpus}`] : []),
    ...(limits.processes ? [`--pids-limit=${limits.processes}`] : []),
    ...override,
    spec.image,
    ...more,
    ...spec.command,
  ];
}

/** The variables as the engine's file holds them: those of several lines have no place there. */
export function envFileText(variables: Record<string, string>): string {
  return Object.entries(variables)
    .filter(([, value]) => !/[\r\n]/.test(value))
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}

/** The names under which jobs reach a service: from its image, and those that they gave it. */
export function aliasesOf(image: string, given: string | null | undefined): string[] {
  const bare = image
    .replace(/@.*$/, '')
    .replace(/:[^/:]*$/, '')
    .replace(/^([^/]*):\d+\//, '$1/');
  const names = [bare.replaceAll('/', '__'), bare.replaceAll('/', '-'), ...(given ?? '').split(/[\s,]+/)];
  return [...new Set(names.filter((name) => /^[A-Za-z0-9]([A-Za-z0-9._-]{0,62})$/.test(name)))];
}
