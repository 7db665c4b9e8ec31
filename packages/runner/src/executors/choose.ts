/** From a configured name to an executor. */
import type { JobLimits } from '../limits.ts';
import { bubblewrapExecutor, bubblewrapWorks, findBubblewrap } from './bubblewrap.ts';
import { automaticExecutor, containerExecutor } from './container/container.ts';
import { findEngine } from './container/engine.ts';
import type { ContainerSettings } from './container/settings.ts';
import { dummyExecutor } from './dummy.ts';
import { shellExecutor } from './shell.ts';
import type { Account, Executor } from './types.ts';

export const EXECUTOR_NAMES = ['auto', 'shell', 'bubblewrap', 'container', 'dummy'] as const;
export type ExecutorName = (typeof EXECUTOR_NAMES)[number];

export type ExecutorOptions = {
  /** Directories that jobs must not see. */
  hidden: string[];
  /** Where to look for bwrap and for container engines. */
  path: string;
  account: Account | undefined;
  limits?: JobLimits | undefined;
  containers?: ContainerSettings | undefined;
};

/**
 * `auto` is a container for jobs that name an image, where an engine works, and for the others bubblewrap where that works,
 * else the shell. Throws when a named executor cannot work here.
 */
export async function chooseExecutor(name: ExecutorName, options: ExecutorOptions): Promise<Executor> {
  if (name === 'dummy') return dummyExecutor();
  if (name === 'shell') return shellExecutor(options.limits);
  if (name === 'bubblewrap') return await namespaces(options);
  const host = await namespaces(options).catch(() => shellExecutor(options.limits));
  const { containers: settings = {}, limits = {}, path } = options;
  const engine = await findEngine(settings.engine, path);
  if (!engine) {
    if (name === 'auto' && !settings.engine) return host;
    throw new Error(`no container engine works here: ${settings.engine ?? 'podman or docker'}`);
  }
  const containers = containerExecutor({ engine, host, settings, limits });
  return name === 'container' ? containers : automaticExecutor(containers, host);
}

async function namespaces(options: ExecutorOptions): Promise<Executor> {
  const program = findBubblewrap(options.path);
  if (program && (await bubblewrapWorks(program, options.account)))
    return bubblewrapExecutor(program, options.hidden, options.limits);
  throw new Error(
    program ? `${program} is not allowed to make namespaces here` : 'the bubblewrap executor needs the program bwrap',
  );
}
