/** Making and ending deploy tokens. */
import { type AuditOrigin, recordAudit } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { DeployToken } from '../../../kernel/db/rows.ts';
import { invalidParameters, invalidRecord, notFound } from '../../../kernel/http/errors.ts';
import { ciDeployTokenName, deployTokenUsername, tokenPrefixes } from '../../../kernel/names.ts';
import { instancePrefix, newToken, type Secrets, tokenHash } from '../../../kernel/secrets/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { announceChange } from '../changes/index.ts';
import { ciTokenPurpose } from './ci-token.ts';
import {
  type DeployTokenPlace,
  deleteDeployToken,
  insertDeployToken,
  renameDeployToken,
} from './deploy-tokens.queries.ts';

/** What deploy tokens may be for. Other registries than that of packages are not there yet: their scopes are kept for them. */
export const deployScopes: readonly string[] = [
  'read_repository',
  'read_registry',
  'write_registry',
  'read_package_registry',
  'write_package_registry',
  'read_virtual_registry',
  'write_virtual_registry',
];

const usernamePattern = /^[A-Za-z0-9._+-]+$/;

export interface NewDeployTokenValues {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly username?: string | null | undefined;
  readonly expiresAt: Date | null;
}

/** The project or group, with its path for the audit events. */
export interface DeployPlace {
  readonly place: DeployTokenPlace;
  readonly path: string;
}

const entityOf = ({ place, path }: DeployPlace) =>
  'project_id' in place
    ? ({ type: 'Project', id: place.project_id, path } as const)
    : ({ type: 'Group', id: place.namespace_id, path } as const);

/** As the ecosystem calls them: those of groups say so. */
const eventOf = ({ place }: DeployPlace, what: 'created' | 'destroyed') =>
  `${'project_id' in place ? '' : 'group_'}deploy_token_${what}` as const;

export function createDeployTokens(deps: {
  readonly db: Db;
  readonly settings: Pick<Settings, 'read'>;
  readonly secrets: Pick<Secrets, 'seal'>;
  readonly forget: () => void;
}) {
  const { db, settings, secrets, forget } = deps;

  function check(values: NewDeployTokenValues): void {
    if (values.scopes.some((scope) => !deployScopes.includes(scope)))
      throw invalidParameters(['scopes does not have a valid value']);
    const { name, username } = values;
    const wrong = {
      ...(name.trim() === '' ? { name: ["can't be blank"] } : {}),
      ...(values.scopes.length === 0 ? { scopes: ["can't be blank"] } : {}),
      ...(username && !usernamePattern.test(username)
        ? { username: ["can contain only letters, digits, '_', '-', '+', and '.'"] }
        : {}),
    };
    if (Object.keys(wrong).length > 0) throw invalidRecord(wrong);
  }

  return {
    async create(
      where: DeployPlace,
      values: NewDeployTokenValues,
      origin: AuditOrigin,
    ): Promise<{ row: DeployToken; secret: string }> {
      check(values);
      const secret = newToken(instancePrefix(tokenPrefixes.deploy, await settings.read()));
      const row = await transaction(db, async (tx) => {
        const made = await insertDeployToken(tx, {
          ...where.place,
          name: values.name,
          username: values.username || 'new',
          token_sha256: tokenHash(secret),
          ...(values.name === ciDeployTokenName ? { token_encrypted: secrets.seal(secret, ciTokenPurpose) } : {}),
          scopes: [...new Set(values.scopes)],
          expires_at: values.expiresAt,
          created_by_id: origin.author?.id ?? null,
        });
        const username = values.username || deployTokenUsername(made.id);
        if (username !== made.username) await renameDeployToken(tx, made.id, username);
        await recordAudit(tx, {
          ...origin,
          entity: entityOf(where),
          event: eventOf(where, 'created'),
          details: { scopes: made.scopes, expires_at: made.expires_at, username },
          target: { type: 'DeployToken', id: made.id, details: made.name },
        });
        return { ...made, username };
      });
      return { row, secret };
    },

    /** It works nowhere from now on, and is in no list; the audit events have it. */
    async remove(where: DeployPlace, token: DeployToken, origin: AuditOrigin): Promise<void> {
      await transaction(db, async (tx) => {
        if (!(await deleteDeployToken(tx, token.id))) throw notFound('Deploy Token');
        await recordAudit(tx, {
          ...origin,
          entity: entityOf(where),
          event: eventOf(where, 'destroyed'),
          details: { scopes: token.scopes, username: token.username },
          target: { type: 'DeployToken', id: token.id, details: token.name },
        });
        await announceChange(tx);
      });
      forget();
    },
  };
}

export type DeployTokens = ReturnType<typeof createDeployTokens>;
