/** What scopes mean to the people who are asked for them, and which of those asked for somebody may have. */
import type { OauthApplication, User } from '../../../kernel/db/rows.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { applicationScopes, identityScopes, unavailableScopes } from '../tokens/index.ts';
import { oauthError } from './requests.ts';

const meanings: Readonly<Record<string, string>> = {
  api: 'Everything that you may do over the API and with git: read, change and delete',
  read_api: 'Read everything that you may see, also in private groups and projects',
  openid: 'Know who you are on this instance',
  profile: 'Read your name, username and picture',
  email: 'Read your email address',
  read_user: 'Read your account: your name, username and email address',
  create_runner: 'Create runners',
  manage_runner: 'Change and remove runners',
  k8s_proxy: 'Reach Kubernetes clusters through their agents',
  self_rotate: 'Replace its own token',
  read_repository: 'Read the repositories that you may read',
  write_repository: 'Read the repositories that you may read, and push to them',
  read_registry: 'Read the registries that you may read',
  write_registry: 'Read and write the registries that you may write',
  read_virtual_registry: 'Read through virtual registries',
  write_virtual_registry: 'Read, write and delete in virtual registries',
  ai_features: 'Use features that need a language model',
  sudo: 'Act as any user of this instance, within its other scopes',
  admin_mode: 'Everything that administrators may, also where it needs admin mode',
  read_service_ping: 'Read what the instance reports of its use',
};

export const scopeMeanings = (scopes: readonly string[]) =>
  scopes.map((name) => ({ name, meaning: meanings[name] ?? name }));

/** Scopes with which an application could do harm in an administrator's name. */
const wide: readonly string[] = [
  'api',
  'read_api',
  'read_repository',
  'write_repository',
  'read_registry',
  'write_registry',
  'sudo',
  'admin_mode',
];
const isWide = (scopes: readonly string[]): boolean => scopes.some((scope) => wide.includes(scope));

/** Throws where administrators must not give this access to an application. */
export async function checkWideAccess(
  settings: Settings,
  user: Pick<User, 'admin'>,
  application: Pick<OauthApplication, 'trusted'>,
  scopes: readonly string[],
): Promise<void> {
  if (user.admin && !application.trusted && isWide(scopes) && (await settings.read()).disable_admin_oauth_scopes)
    throw oauthError('access_denied', 'Administrators of this instance cannot give this access to applications.', 403);
}

/** Those that this person's tokens may have: the others need an administrator. */
export function scopesFor(user: Pick<User, 'admin'>, scopes: readonly string[]): string[] {
  const missing = unavailableScopes(
    scopes.filter((scope) => !identityScopes.includes(scope)),
    user.admin,
  );
  return scopes.filter((scope) => !missing.includes(scope));
}

export const isKnown = (scope: string): boolean => applicationScopes.includes(scope);
