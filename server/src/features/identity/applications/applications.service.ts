/** Registering applications, changing and removing them. */
import { randomBytes } from 'node:crypto';
import { type AuditOrigin, instanceEntity, recordAudit } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { OauthApplication } from '../../../kernel/db/rows.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { tokenPrefixes } from '../../../kernel/names.ts';
import { instancePrefix, tokenHash } from '../../../kernel/secrets/index.ts';
import type { ApplicationSettings, Settings } from '../../../kernel/settings/index.ts';
import { announceChange } from '../changes/index.ts';
import { applicationScopes } from '../tokens/scopes.ts';
import { check } from '../users/validation.ts';
import {
  type ApplicationOwner,
  deleteApplication,
  insertApplication,
  ownerColumns,
  revokeWider,
  updateApplication,
} from './applications.queries.ts';
import { redirectUriReasons, redirectUrisOf } from './redirect-uris.ts';

export interface ApplicationValues {
  readonly name: string;
  /** One on each line. */
  readonly redirectUri: string;
  /** With blanks between them. */
  readonly scopes: string;
  readonly confidential: boolean;
  readonly trusted: boolean;
}

export interface RegisteredApplication {
  readonly row: OauthApplication;
  /** Shown now and never again. */
  readonly secret: string;
}

/** Where a set of applications belongs, with its path for the audit events. */
export interface ApplicationPlace {
  readonly owner: ApplicationOwner;
  readonly path: string;
}

const longestName = 255;
const newSecret = (settings: ApplicationSettings) =>
  instancePrefix(tokenPrefixes.oauthApplication, settings) + randomBytes(32).toString('hex');
/** The scopes of a request or a form. */
export const scopesOf = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter((scope) => scope !== ''))];

function entityOf({ owner, path }: ApplicationPlace): Parameters<typeof recordAudit>[1]['entity'] {
  if (owner.kind === 'instance') return instanceEntity;
  return { type: owner.kind === 'user' ? 'User' : 'Group', id: owner.id, path };
}

function columns(values: ApplicationValues, plainHttp: boolean) {
  const { name, confidential, trusted } = values;
  const redirect_uris = redirectUrisOf(values.redirectUri);
  const scopes = scopesOf(values.scopes);
  check({
    name:
      name.trim() === ''
        ? ["can't be blank"]
        : name.length > longestName
          ? [`is too long (maximum is ${longestName} characters)`]
          : [],
    redirect_uri: redirectUriReasons(redirect_uris, confidential, plainHttp),
    scopes:
      scopes.length === 0
        ? ["can't be blank"]
        : scopes.every((scope) => applicationScopes.includes(scope))
          ? []
          : ["doesn't match configured on the server."],
  });
  return { name: name.trim(), redirect_uris, scopes, confidential, trusted };
}

export interface ApplicationDependencies {
  readonly db: Db;
  readonly settings: Pick<Settings, 'read'>;
  readonly forget: () => void;
}

export function createApplications({ db, settings, forget }: ApplicationDependencies) {
  const plainHttp = async () => (await settings.read()).oauth_http_redirect_uris_enabled;

  const record = (
    tx: Db,
    place: ApplicationPlace,
    what: 'created' | 'updated' | 'deleted' | 'secret_renewed',
    row: OauthApplication,
    origin: AuditOrigin,
  ) =>
    recordAudit(tx, {
      ...origin,
      entity: entityOf(place),
      event: `oauth_application_${what}`,
      details: {
        application_id: row.uid,
        redirect_uris: row.redirect_uris,
        scopes: row.scopes,
        confidential: row.confidential,
        trusted: row.trusted,
      },
      target: { type: 'OauthApplication', id: row.id, details: row.name },
    });

  return {
    async create(
      place: ApplicationPlace,
      values: ApplicationValues,
      origin: AuditOrigin,
    ): Promise<RegisteredApplication> {
      const secret = newSecret(await settings.read());
      const checked = columns(values, await plainHttp());
      const row = await transaction(db, async (tx) => {
        const made = await insertApplication(tx, {
          ...checked,
          ...ownerColumns(place.owner),
          uid: randomBytes(32).toString('hex'),
          secret_sha256: tokenHash(secret),
        });
        await record(tx, place, 'created', made, origin);
        return made;
      });
      return { row, secret };
    },

    /** Undefined when it was removed meanwhile. */
    async update(
      place: ApplicationPlace,
      id: number,
      values: ApplicationValues,
      origin: AuditOrigin,
    ): Promise<OauthApplication | undefined> {
      const checked = columns(values, await plainHttp());
      const row = await transaction(db, async (tx) => {
        const changed = await updateApplication(tx, id, checked);
        if (!changed) return undefined;
        await revokeWider(tx, id, changed.scopes);
        await record(tx, place, 'updated', changed, origin);
        await announceChange(tx);
        return changed;
      });
      forget();
      return row;
    },

    async renewSecret(
      place: ApplicationPlace,
      id: number,
      origin: AuditOrigin,
    ): Promise<RegisteredApplication | undefined> {
      const secret = newSecret(await settings.read());
      return await transaction(db, async (tx) => {
        const row = await updateApplication(tx, id, { secret_sha256: tokenHash(secret) });
        if (!row) return undefined;
        await record(tx, place, 'secret_renewed', row, origin);
        return { row, secret };
      });
    },

    /** Its tokens and what people let it do go with it. */
    async remove(place: ApplicationPlace, row: OauthApplication, origin: AuditOrigin): Promise<void> {
      await transaction(db, async (tx) => {
        if (!(await deleteApplication(tx, row.id))) throw notFound('Application');
        await record(tx, place, 'deleted', row, origin);
        await announceChange(tx);
      });
      forget();
    },
  };
}

export type Applications = ReturnType<typeof createApplications>;
