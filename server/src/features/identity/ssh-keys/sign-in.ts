/** Who stands behind an SSH key: whether it lets somebody in, and as whom it acts now. */
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { accountRefusals, type UsageRecorder } from '../credentials/index.ts';
import { parseSshKey } from './parse.ts';
import { findKeyHolder, noteVerification } from './ssh-keys.queries.ts';
import { keyReasons } from './ssh-keys.service.ts';

export interface SshSignInDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly usage: Pick<UsageRecorder, 'used'>;
  readonly externalUrl: string;
  /** Until when a person has to set up a second factor; null when nobody asks for it. */
  readonly twoFactorRequiredUntil: (user: User) => Promise<Date | null>;
  /** Whether git over SSH asks people who have a second factor for it. */
  readonly asksSecondFactor: (user: User) => Promise<boolean>;
  /** Whether a code is right; a wrong one counts as a failed sign-in. */
  readonly checkCode: (user: User, code: string, address: string) => Promise<boolean>;
}

export interface SshCaller {
  readonly caller: Caller;
  /** `@user`, or the title of a deploy key. */
  readonly name: string;
  /** The person, null for deploy keys: what is about an account is for people alone. */
  readonly person: User | null;
  /** Git waits until `verify` was given a right code. */
  readonly needsSecondFactor: boolean;
}

export interface SshSignIn {
  /** The id of a key that lets somebody in, from its type and wire format; null for unknown keys and those that only sign. */
  find(type: string, blob: Buffer): Promise<number | null>;
  /** Who acts with a key now, or why nobody does. Asked for every command: a connection may be days old. */
  caller(keyId: number, address: string): Promise<SshCaller | { readonly refusal: string }>;
  /** Proves a second factor for a while; false when the code is wrong. */
  verify(keyId: number, person: User, code: string, address: string): Promise<boolean>;
}

const minute = 60_000;

export function createSshSignIn(deps: SshSignInDependencies): SshSignIn {
  const { db, settings, usage } = deps;

  /** Why a person may not come in, whatever their key. */
  async function accountRefusal(user: User): Promise<string | null> {
    if (user.state === 'deactivated')
      return `${accountRefusals.deactivated} Sign in at ${deps.externalUrl} to use it again.`;
    if (user.state !== 'active') return accountRefusals[user.state];
    const until = await deps.twoFactorRequiredUntil(user);
    return until !== null && until.getTime() <= Date.now()
      ? `Set up two-factor authentication first, at ${deps.externalUrl}/-/profile/two_factor_auth`
      : null;
  }

  return {
    find: async (type, blob) => {
      const parsed = parseSshKey(`${type} ${blob.toString('base64')}`);
      const holder = parsed && (await findKeyHolder(db, { sha256: parsed.fingerprintSha256 }));
      return holder && holder.key.usage_type !== 'signing' ? holder.key.id : null;
    },
    caller: async (keyId, address) => {
      const holder = await findKeyHolder(db, { id: keyId });
      if (!holder || holder.key.usage_type === 'signing') return { refusal: 'This SSH key has been removed.' };
      const { key, user } = holder;
      if (key.expires_at !== null && key.expires_at <= new Date()) return { refusal: 'Your SSH key has expired.' };
      const reasons = keyReasons(parseSshKey(key.key), null, await settings.read());
      if (reasons.length > 0) return { refusal: `This SSH key is not taken here: its ${keySentence(reasons)}.` };
      if (key.kind === 'deploy') {
        usage.used('ssh_key', key.id, null);
        const credential = { kind: 'deploy_key', keyId: key.id, projectId: null, canPush: false } as const;
        const maker = user?.state === 'active' ? user : null;
        const caller = { user: maker, credential, scopes: null, admin: false, address };
        return { caller, name: `deploy key ${key.title}`, person: null, needsSecondFactor: false };
      }
      if (!user) return { refusal: 'This SSH key has been removed.' };
      const refusal = await accountRefusal(user);
      if (refusal !== null) return { refusal };
      usage.used('ssh_key', key.id, user.id);
      const proven = key.verified_until !== null && key.verified_until.getTime() > Date.now();
      return {
        // Admin mode is about the API and the pages: git asks nobody for a password again.
        caller: { user, credential: { kind: 'ssh_key', keyId: key.id }, scopes: null, admin: user.admin, address },
        name: `@${user.username}`,
        person: user,
        needsSecondFactor: !proven && user.two_factor_enabled && (await deps.asksSecondFactor(user)),
      };
    },
    verify: async (keyId, person, code, address) => {
      if (!(await deps.checkCode(person, code, address))) return false;
      const minutes = (await settings.read()).git_two_factor_session_expiry;
      await noteVerification(db, keyId, new Date(Date.now() + minutes * minute));
      return true;
    },
  };
}

/** `type is forbidden ...` as it is, `must be at least ...` with what must be. */
const keySentence = (reasons: readonly string[]): string =>
  reasons.map((reason) => (reason.startsWith('must') ? `size ${reason}` : reason)).join(', ');
