/** What a personal access token can be limited to. */

/** Scopes that everybody may give to their tokens. */
export const userScopes = [
  'api',
  'read_api',
  'read_user',
  'create_runner',
  'manage_runner',
  'k8s_proxy',
  'self_rotate',
  'read_repository',
  'write_repository',
  'read_registry',
  'write_registry',
  'read_virtual_registry',
  'write_virtual_registry',
  'ai_features',
] as const;
/** Scopes that act for administrators alone, and that only administrators give. */
const adminScopes = ['sudo', 'admin_mode', 'read_service_ping'] as const;

/** Scopes of tokens that belong to a project or group: their bot has no account to read. */
export const placeScopes: readonly string[] = userScopes.filter((scope) => scope !== 'read_user');

export const allScopes: readonly string[] = [...userScopes, ...adminScopes];

/** Scopes of applications that only want to know who somebody is: they open the user info, and nothing of the API. */
export const identityScopes: readonly string[] = ['openid', 'profile', 'email'];

export const applicationScopes: readonly string[] = [...allScopes, ...identityScopes];

/** Scopes with which a token may make another one in its own place. */
export const rotatingScopes: readonly string[] = ['api', 'self_rotate'];

/** The scopes among `wanted` that do not exist, or that need an administrator. */
export function unavailableScopes(wanted: readonly string[], admin: boolean): string[] {
  const available: readonly string[] = admin ? allScopes : userScopes;
  return wanted.filter((scope) => !available.includes(scope));
}
