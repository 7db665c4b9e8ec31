/** From a configured name to an executor. */
import { bubblewrapExecutor, bubblewrapWorks, findBubblewrap } from './bubblewrap.ts';
import { dummyExecutor } from './dummy.ts';
import { shellExecutor } from './shell.ts';
import type { Account, Executor } from './types.ts';

export const EXECUTOR_NAMES = ['auto', 'shell', 'bubblewrap', 'dummy'] as const;
export type ExecutorName = (typeof EXECUTOR_NAMES)[number];

export type ExecutorOptions = {
  /** Directories that jobs must not see. */
  hidden: string[];
  /** Where to look for bwrap. */
  path: string;
  account: Account | undefined;
};

/** `auto` is bubblewrap where it works, else the shell. Throws when a named executor cannot work here. */
export async function chooseExecutor(name: ExecutorName, options: ExecutorOptions): Promise<Executor> {
  if (name === 'dummy') return dummyExecutor();
  if (name === 'shell') return shellExecutor();
  const program = findBubblewrap(options.path);
  if (program && (await bubblewrapWorks(program, options.account))) return bubblewrapExecutor(program, options.hidden);
  if (name === 'auto') return shellExecutor();
  throw new Error(
    program ? `${program} is not allowed to make namespaces here` : 'the bubblewrap executor needs the program bwrap',
  );
}
