/** The deploy token that jobs of a project get: the one with the name for it, of the project or else of its group. */
import type { Db } from '../../../kernel/db/index.ts';
import { ciDeployTokenName } from '../../../kernel/names.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import { readableDeployToken } from './deploy-tokens.queries.ts';

export const ciTokenPurpose = 'deploy_tokens.token';

export interface CiDeployToken {
  readonly username: string;
  readonly password: string;
}

/** Null where there is none that works. Those from before they could be read are none. */
export async function ciDeployToken(
  db: Db,
  secrets: Pick<Secrets, 'open'>,
  project: { readonly id: number; readonly namespace_id: number },
): Promise<CiDeployToken | null> {
  const found = await readableDeployToken(db, ciDeployTokenName, project);
  return found ? { username: found.username, password: secrets.open(found.token_encrypted, ciTokenPurpose) } : null;
}
