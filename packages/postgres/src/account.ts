/** Which uid runs the server: ours, or as root a fixed one that no other process of the host has. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './errors.ts';

const run = promisify(execFile);

/** Reserved for the embedded server. Job slots of the built-in runner start at 64200 and never reach it. */
const POSTGRES_UID = 64100;

export type Account = { uid: number; gid: number };

/**
 * `server` owns the files and runs the server, `initdb` creates the cluster; both undefined when we are not root.
 * They differ because initdb insists on a name for its uid in the passwd database while the server never asks for one.
 */
export type Accounts = { server: Account | undefined; initdb: Account | undefined };

/** Chooses the accounts for this process. Throws when neither our uid nor a stand-in has a name. */
export async function chooseAccounts(): Promise<Accounts> {
  if (process.geteuid?.() !== 0) {
    assertNamed();
    return { server: undefined, initdb: undefined };
  }
  const initdb = await namedAccount();
  if (!initdb) throw new EmbeddedPostgresError('PostgreSQL cannot be set up: the passwd database has no user but root');
  return { server: { uid: POSTGRES_UID, gid: POSTGRES_UID }, initdb };
}

function assertNamed(): void {
  try {
    userInfo();
  } catch {
    throw new EmbeddedPostgresError(
      `uid ${process.geteuid?.()} has no name in the passwd database, which PostgreSQL requires: add a line for it to /etc/passwd or set DATABASE_URL`,
    );
  }
}

// Accounts without a login of their own are preferred: their processes could see initdb's during the first start.
async function namedAccount(): Promise<Account | undefined> {
  const accounts = new Map<string, Account>();
  for (const line of (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name && Number(uid) > 0 && Number(gid) > 0) accounts.set(name, { uid: Number(uid), gid: Number(gid) });
  }
  for (const name of ['postgres', 'daemon', 'nobody', '_postgres']) {
    const account = accounts.get(name) ?? (process.platform === 'darwin' ? await lookUp(name) : undefined);
    if (account) return account;
  }
  return accounts.values().next().value;
}

async function lookUp(name: string): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}
