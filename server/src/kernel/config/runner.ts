/** Keys of the built-in runner: how it runs jobs, and what one job may use. */
import os from 'node:os';
import { type Config, type Key, key, type PullPolicy } from './key.ts';
import { positive, textOrNull, words } from './values.ts';

const executors = ['auto', 'off', 'shell', 'bubblewrap', 'container'] as const;
const policies: readonly PullPolicy[] = ['always', 'if-not-present', 'never'];
const networks = ['auto', 'job', 'host'] as const;

function oneOf<T extends string>(values: readonly T[]): (text: string) => T {
  return (text) => {
    const value = values.find((candidate) => candidate === text);
    if (value === undefined) throw new Error(`one of ${values.join(', ')}`);
    return value;
  };
}

const units: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

/** `512m`, `4g`, or bytes. */
function bytes(text: string): number {
  const match = /^(\d{1,15})([kmgt]?)(?:i?b)?$/i.exec(text.trim());
  const value = match ? Number(match[1]) * (units[match[2]?.toLowerCase() ?? ''] ?? 1) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new Error('bytes, like 512m or 4g; 0 for no limit');
  return value;
}

function count(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new Error('a whole number; 0 for no limit');
  return Number(text);
}

function processors(text: string): number {
  if (!/^\d{1,4}(\.\d{1,3})?$/.test(text)) throw new Error('a number like 2 or 0.5; 0 for no limit');
  return Number(text);
}

function volumes(text: string): readonly string[] {
  const list = words(text);
  if (list.some((volume) => !/^\/[^:]*:\/[^:]*(:ro|:rw)?$/.test(volume)))
    throw new Error('host:container pairs of absolute paths separated by commas, like /srv/cache:/cache:ro');
  return list;
}

function pullPolicies(text: string): readonly PullPolicy[] {
  const list = words(text).map(oneOf(policies));
  if (list.length === 0) throw new Error(`some of ${policies.join(', ')}`);
  return list;
}

export const runnerKeys: readonly Key<keyof Config>[] = [
  key({
    name: 'runner',
    env: 'MILLRACE_RUNNER',
    description:
      'Built-in runner: `auto` (containers for jobs that name an image where podman or docker works, else namespaces, else the shell), `off`, `shell`, `bubblewrap` or `container`',
    fallbackText: '`auto`',
    fallback: () => 'auto',
    parse: oneOf(executors),
  }),
  key({
    name: 'runnerSlots',
    env: 'MILLRACE_RUNNER_SLOTS',
    description: 'Jobs that the built-in runner runs at once',
    fallbackText: 'one for each processor, at least 2',
    fallback: () => Math.max(2, Math.min(os.availableParallelism(), 16)),
    parse: positive,
  }),
  key({
    name: 'runnerEngine',
    env: 'MILLRACE_RUNNER_ENGINE',
    description: 'Container engine: name or path of a program with the command line of docker or podman',
    fallbackText: '`podman`, else `docker`, whichever works',
    fallback: () => null,
    parse: textOrNull,
  }),
  key({
    name: 'runnerImage',
    env: 'MILLRACE_RUNNER_IMAGE',
    description: 'Image of jobs that name none, with the `container` executor',
    fallbackText: 'none: such jobs fail',
    fallback: () => null,
    parse: textOrNull,
  }),
  key({
    name: 'runnerPullPolicies',
    env: 'MILLRACE_RUNNER_PULL_POLICIES',
    description:
      'Pull policies that jobs may choose, separated by commas, the first of them by default: `always`, `if-not-present`, `never`. All but `always` let jobs use private images that another job has pulled',
    fallbackText: '`always`',
    fallback: () => ['always'],
    parse: pullPolicies,
  }),
  key({
    name: 'runnerVolumes',
    env: 'MILLRACE_RUNNER_VOLUMES',
    description: 'Directories that are mounted into every container, `host:container[:ro]` separated by commas',
    fallbackText: 'none',
    fallback: () => [],
    parse: volumes,
  }),
  key({
    name: 'runnerNetwork',
    env: 'MILLRACE_RUNNER_NETWORK',
    description:
      'Network of containers: `job` makes one for each job, `host` shares that of the host, `auto` is `job` where the engine can',
    fallbackText: '`auto`',
    fallback: () => 'auto',
    parse: oneOf(networks),
  }),
  key({
    name: 'runnerMemory',
    env: 'MILLRACE_RUNNER_MEMORY',
    description: 'Memory of one job, like `4g`; 0 for no limit',
    fallbackText: 'three quarters of the memory of the machine',
    fallback: () => Math.floor((os.totalmem() * 3) / 4),
    parse: bytes,
  }),
  key({
    name: 'runnerCpus',
    env: 'MILLRACE_RUNNER_CPUS',
    description: 'Processors of one container, like `2` or `0.5`; 0 for no limit',
    fallbackText: '0',
    fallback: () => 0,
    parse: processors,
  }),
  key({
    name: 'runnerProcesses',
    env: 'MILLRACE_RUNNER_PROCESSES',
    description: 'Processes and threads of one job; 0 for no limit. Without containers it needs the runner to be root',
    fallbackText: '4096',
    fallback: () => 4096,
    parse: count,
  }),
  key({
    name: 'runnerDisk',
    env: 'MILLRACE_RUNNER_DISK',
    description:
      'Bytes below the directories of one job, like `20g`; 0 for no limit. Jobs also end when less than a twentieth (at most 1 GiB) of the disk is free',
    fallbackText: '0',
    fallback: () => 0,
    parse: bytes,
  }),
  key({
    name: 'runnerOutput',
    env: 'MILLRACE_RUNNER_OUTPUT',
    description:
      'Bytes of the log of one job, held in memory while it runs; what comes after them is dropped, and the job says so',
    fallbackText: '`4m`',
    fallback: () => 4 * 1024 ** 2,
    parse: bytes,
  }),
];
