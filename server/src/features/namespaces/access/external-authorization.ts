/**
 * A service of the instance's administrators that decides, beside roles, who may see which project: it is told who asks and
 * how the project is classified. 200 lets in; every other answer, and none, keeps out: an outage must not open anything.
 */
import { type Caller, type ProjectSubject, readsAll } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Outbound } from '../../../kernel/outbound/index.ts';
import type { ApplicationSettings, Settings } from '../../../kernel/settings/index.ts';
import type { Logger } from '../../../kernel/telemetry/index.ts';
import { identitiesOf } from './external-authorization.queries.ts';

export interface ExternalAuthorizationDependencies {
  readonly db: Db;
  readonly settings: Pick<Settings, 'read'>;
  readonly outbound: Pick<Outbound, 'send'>;
  readonly log: Logger;
}

/** Milliseconds that an answer of the service counts: as long as in the ecosystem, whose services expect no more requests. */
const validity = 6 * 3_600_000;
/** Answers that are kept; the oldest goes first. */
const most = 20_000;

interface Verdict {
  readonly allowed: boolean;
  readonly until: number;
}

export interface ExternalAuthorization {
  /** Whether the service lets the caller see the project; true where there is none. Administrators and auditors see all. */
  allows(caller: Caller, subject: ProjectSubject): Promise<boolean>;
  /** Whether lists may show content of several projects: not while each of them is asked about. */
  readsAcross(caller: Caller): Promise<boolean>;
}

export function externalAuthorization(deps: ExternalAuthorizationDependencies): ExternalAuthorization {
  const kept = new Map<string, Verdict>();

  async function ask(
    user: NonNullable<Caller['user']>,
    label: string,
    service: ApplicationSettings,
  ): Promise<boolean | null> {
    const identities = await identitiesOf(deps.db, user.id);
    const directory = identities.find(({ provider }) => provider.startsWith('ldap'));
    const cert = service.external_auth_client_cert;
    const key = service.external_auth_client_key;
    const answer = await deps.outbound.send({
      ...{ url: service.external_authorization_service_url ?? '', kind: 'service', method: 'POST' },
      ...{ timeout: (service.external_authorization_service_timeout ?? 0.5) * 1000, maximumBytes: 64 * 1024 },
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'User-Agent': 'Millrace' },
      ...(cert && key ? { clientCertificate: { cert, key, passphrase: service.external_auth_client_key_pass } } : {}),
      body: JSON.stringify({
        user_identifier: user.email,
        project_classification_label: label,
        ...(directory ? { user_ldap_dn: directory.extern_uid } : {}),
        identities,
      }),
    });
    if (answer.ok && answer.status === 200) return true;
    if (answer.ok && (answer.status === 401 || answer.status === 403)) return false;
    const why = answer.ok ? `status ${answer.status}` : answer.message;
    deps.log.warn({ user_id: user.id, why }, 'the external authorization service gave no verdict');
    return null;
  }

  /** Asked once for everybody who asks the same at the same time. */
  const asking = new Map<string, Promise<boolean>>();
  async function verdict(
    user: NonNullable<Caller['user']>,
    label: string,
    service: ApplicationSettings,
  ): Promise<boolean> {
    const key = JSON.stringify([service.external_authorization_service_url, user.id, user.email, label]);
    const known = kept.get(key);
    if (known && known.until > Date.now()) return known.allowed;
    const running = asking.get(key);
    if (running !== undefined) return await running;
    const asked = (async () => {
      const allowed = await ask(user, label, service);
      kept.delete(key);
      // What failed is asked again by the next request.
      if (allowed !== null) kept.set(key, { allowed, until: Date.now() + validity });
      for (const oldest of kept.keys()) {
        if (kept.size <= most) break;
        kept.delete(oldest);
      }
      return allowed ?? false;
    })();
    asking.set(key, asked);
    try {
      return await asked;
    } finally {
      asking.delete(key);
    }
  }

  return {
    allows: async (caller, { project }) => {
      const service = await deps.settings.read();
      if (!service.external_authorization_service_enabled || readsAll(caller)) return true;
      const { kind } = caller.credential;
      if (kind === 'deploy' || kind === 'deploy_key') return service.allow_deploy_tokens_and_keys_with_external_authn;
      if (caller.user === null) return false;
      const own = project.external_authorization_classification_label;
      return await verdict(caller.user, own || (service.external_authorization_service_default_label ?? ''), service);
    },
    readsAcross: async (caller) =>
      !(await deps.settings.read()).external_authorization_service_enabled || readsAll(caller),
  };
}
