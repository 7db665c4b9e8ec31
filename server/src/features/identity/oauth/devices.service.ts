/** Devices without a browser (RFC 8628): they show a code, and somebody types it in on a page. */
import { randomBytes, randomInt } from 'node:crypto';
import type { AuditOrigin } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { OauthApplication, User } from '../../../kernel/db/rows.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { findApplicationById } from '../applications/index.ts';
import type { Grants, TokenAnswer } from './grants.service.ts';
import { deleteDevice, insertDevice, lockDevice, notePoll, settleDevice, waitingDevice } from './oauth.queries.ts';
import { oauthError } from './requests.ts';
import { checkWideAccess, scopesFor } from './scopes.ts';

/** No vowels: no words; and nothing that looks like something else. 34 bits, for five minutes. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const codeLength = 8;
const lifetimeSeconds = 300;
const intervalSeconds = 5;

export interface WaitingDevice {
  readonly application: OauthApplication;
  readonly scopes: readonly string[];
}

const newUserCode = () => Array.from({ length: codeLength }, () => letters[randomInt(letters.length)]).join('');
const hashOf = (typed: string) => tokenHash(typed.toUpperCase().replaceAll(/[^A-Z]/g, ''));

export interface DeviceDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly grants: Grants;
  /** Without a trailing slash. */
  readonly externalUrl: string;
}

export function createDevices(deps: DeviceDependencies) {
  const { db, settings, grants, externalUrl } = deps;

  async function waiting(tx: Db, typed: string, user: User, lock: 'lock' | 'read') {
    const device = await waitingDevice(tx, hashOf(typed), lock);
    const application = device && (await findApplicationById(tx, device.application_id));
    if (!device || !application) return null;
    const scopes = scopesFor(user, device.scopes);
    if (scopes.length === 0) throw oauthError('invalid_scope', 'The scope needs an administrator.');
    await checkWideAccess(settings, user, application, scopes);
    return { device, application, scopes };
  }

  return {
    async begin(application: OauthApplication, scopes: readonly string[]) {
      const device = randomBytes(32).toString('hex');
      for (;;) {
        const userCode = newUserCode();
        const values = {
          device_sha256: tokenHash(device),
          user_code_sha256: tokenHash(userCode),
          application_id: application.id,
          scopes: [...scopes],
          interval_seconds: intervalSeconds,
        };
        if (!(await insertDevice(db, values, lifetimeSeconds))) continue;
        const page = `${externalUrl}/oauth/device`;
        return {
          device_code: device,
          user_code: userCode,
          verification_uri: page,
          verification_uri_complete: `${page}?user_code=${userCode}`,
          expires_in: lifetimeSeconds,
          interval: intervalSeconds,
        };
      }
    },

    /** What the device with this code asks for; null when none waits for an answer. */
    look: async (typed: string, user: User): Promise<WaitingDevice | null> => await waiting(db, typed, user, 'read'),

    /** False when none waits for an answer. */
    settle: (typed: string, user: User, agreed: boolean, origin: AuditOrigin): Promise<boolean> =>
      transaction(db, async (tx) => {
        const found = await waiting(tx, typed, user, 'lock');
        if (!found) return false;
        const { device, application, scopes } = found;
        const consent = { user, application, scopes };
        const id = agreed ? await grants.authorizeDevice(tx, consent, origin) : null;
        await settleDevice(tx, device.device_sha256, id);
        return true;
      }),

    /** What the device gets that asks whether somebody agreed. */
    poll: (application: OauthApplication, secret: string): Promise<TokenAnswer> =>
      grants.settled(async (tx) => {
        const hash = tokenHash(secret);
        const device = await lockDevice(tx, hash);
        if (device?.application_id !== application.id)
          return oauthError('invalid_grant', 'The device code is invalid or was used.');
        if (device.expired) return oauthError('expired_token', 'Nobody answered in time. Start again.');
        if (device.denied_at !== null) return oauthError('access_denied', 'The person denied the request.');
        if (device.authorization_id === null) {
          await notePoll(tx, hash, device.hasty ? intervalSeconds : 0);
          return device.hasty
            ? oauthError('slow_down', 'Ask less often.')
            : oauthError('authorization_pending', 'Nobody has answered yet.');
        }
        const tokens = await grants.issueDevice(tx, device.authorization_id);
        await deleteDevice(tx, hash);
        return tokens;
      }),
  };
}

export type Devices = ReturnType<typeof createDevices>;
