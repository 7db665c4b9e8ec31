/** The first start: the administrator, and a password that the operator can find again. */
import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { App } from './app.ts';
import type { Config } from './kernel/config/config.ts';
import { type Db, withLock } from './kernel/db/index.ts';

export interface FirstStart {
  /** The generated password of `root`; null when the operator gave one. */
  readonly password: string | null;
  readonly passwordFile: string;
}

const absent = (error: NodeJS.ErrnoException) => {
  if (error.code === 'ENOENT') return null;
  throw error;
};

/**
 * Makes `root` if there is none; null if there was. Processes that start on the same new database do it once. The password
 * is on disk before the account exists: a crash between the two loses nothing.
 */
export async function firstStart(app: Pick<App, 'identity'>, db: Db, config: Config): Promise<FirstStart | null> {
  const passwordFile = path.join(config.data, 'root-password');
  const draft = `${passwordFile}.new`;
  const token = config.rootToken ?? undefined;
  return await withLock(db, ['first-start'], async () => {
    if (config.rootPassword !== null) {
      const made = await app.identity.seedRoot({ password: config.rootPassword, token });
      return made ? { password: null, passwordFile } : null;
    }
    const left = await readFile(draft, 'utf8').catch(absent);
    const password = left?.trim() || randomBytes(15).toString('base64url');
    if (!left && (await app.identity.users.list(0, 1)).length > 0) return null;
    if (!left) await writeFile(draft, `${password}\n`, { mode: 0o600, flush: true });
    const made = await app.identity.seedRoot({ password, token });
    // A draft that an interrupted first start left belongs to the account that it made.
    if (made || left) await rename(draft, passwordFile);
    else await rm(draft);
    return made ? { password, passwordFile } : null;
  });
}
