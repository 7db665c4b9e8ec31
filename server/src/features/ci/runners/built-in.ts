/** The built-in runner's row: an instance runner whose token every process with the instance's key knows. */
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { tokenPrefixes } from '../../../kernel/names.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';
import { upsertBuiltIn } from './runners.queries.ts';

/** By which the built-in runner is known; derived from the instance's key and stored nowhere. */
export const builtInRunnerToken = (secrets: Pick<Secrets, 'sign'>): string =>
  tokenPrefixes.runner + secrets.sign('built-in', 'runner token');

/**
 * Makes the row if there is none. The token is derived from the instance's key: it is stored nowhere, and a second
 * process does not take the first one's away.
 */
export async function ensureBuiltInRunner(
  db: Db,
  secrets: Pick<Secrets, 'sign'>,
): Promise<{ token: string; id: number }> {
  const token = builtInRunnerToken(secrets);
  const runner = await transaction(db, async (tx) => upsertBuiltIn(tx, tokenHash(token), 'Built-in runner'));
  return { token, id: runner.id };
}
