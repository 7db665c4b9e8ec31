/** Basic authentication for git and its relatives: a username with an access token, a job's token or a password. */
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { jobTokenUsername, oauthUsername, tokenPrefixes } from '../../../kernel/names.ts';
import { isOfKind } from '../../../kernel/secrets/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { Credentials } from './resolver.ts';

export interface BasicDependencies {
  readonly resolver: Pick<Credentials, 'accessToken' | 'jobToken' | 'deployToken'>;
  /** The user whose login and password these are, whatever their state; null when wrong or locked. */
  readonly checkPassword: (login: string, password: string, clientAddress: string) => Promise<User | null>;
  readonly settings: Settings;
}

/** What a transport wants to do with a repository. */
export type GitAccess = 'read' | 'write';

const scopesFor: Readonly<Record<GitAccess, readonly string[]>> = {
  read: ['read_repository', 'write_repository', 'api'],
  write: ['write_repository', 'api'],
};

/** Whether the caller's scopes allow git itself; the project's abilities are checked besides. */
export const scopesAllowGit = (caller: Caller, access: GitAccess): boolean =>
  caller.scopes === null || scopesFor[access].some((scope) => caller.scopes?.has(scope));

/** The caller of a username and password; null when they are wrong, expired, locked or of an inactive user. */
export type AuthenticateBasic = (username: string, password: string, clientAddress: string) => Promise<Caller | null>;

export function createBasic({ resolver, checkPassword, settings }: BasicDependencies): AuthenticateBasic {
  return async (username, password, clientAddress) => {
    if (password === '') return null;
    if (username === jobTokenUsername) {
      const job = await resolver.jobToken(password);
      if (job) return job;
    }
    if (isOfKind(password, tokenPrefixes.deploy)) return await resolver.deployToken(username, password);
    const caller = await resolver.accessToken(password, clientAddress);
    // Scripts of jobs give access tokens by the name of job tokens; no account has that name.
    if (caller || username === oauthUsername || username === jobTokenUsername) return caller;
    const { personal_access_token_prefix, password_authentication_enabled_for_git } = await settings.read();
    // An expired token in somebody's script must neither cost a password check nor lock the account.
    const prefixes = [...Object.values(tokenPrefixes), personal_access_token_prefix].filter((prefix) => prefix !== '');
    if (username === '' || prefixes.some((prefix) => isOfKind(password, prefix))) return null;
    if (!password_authentication_enabled_for_git) return null;
    const user = await checkPassword(username, password, clientAddress);
    if (user?.state !== 'active') return null;
    return { user, credential: { kind: 'password' }, scopes: null, admin: user.admin };
  };
}
