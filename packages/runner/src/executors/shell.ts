/** Commands run on the host: under a uid of the job's own when the runner is root, else as the runner's user. */
import { existsSync } from 'node:fs';
import type { JobLimits } from '../limits.ts';
import { localSandbox } from './local-process.ts';
import type { Account, Executor } from './types.ts';

const setprivPath = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));

/**
 * Prefixes a command so that it runs under `account`, cannot gain privileges (sudo, setuid programs), and dies with the
 * runner. Empty where setpriv is missing: the caller then changes the uid itself.
 */
export function dropPrivileges(account: Account | undefined): string[] {
  if (!setprivPath) return [];
  const change = account ? [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'] : [];
  return [setprivPath, ...change, '--no-new-privs', '--pdeathsig=KILL', '--'];
}

/** The plain shell executor. */
export function shellExecutor(limits: JobLimits = {}): Executor {
  return {
    name: 'shell',
    hasShell: true,
    open: async (directories, account) =>
      localSandbox('shell', directories, account, limits, (command) => {
        const prefix = dropPrivileges(account);
        return { command: [...prefix, ...command], account: prefix.length > 0 ? undefined : account };
      }),
  };
}
