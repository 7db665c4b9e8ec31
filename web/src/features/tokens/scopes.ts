/** What tokens can be limited to, in words. */
const shared = [
  { value: 'api', label: 'api', description: 'Full API access, and git' },
  { value: 'read_api', label: 'read_api', description: 'Read-only API access' },
  { value: 'read_repository', label: 'read_repository', description: 'git clone and pull, read files' },
  { value: 'write_repository', label: 'write_repository', description: 'Push code' },
  { value: 'create_runner', label: 'create_runner', description: 'Create runners' },
  { value: 'manage_runner', label: 'manage_runner', description: 'Manage runners' },
  { value: 'self_rotate', label: 'self_rotate', description: 'Rotate this token' },
] as const;

export interface ScopeChoice {
  readonly value: string;
  readonly label: string;
  readonly description: string;
}

export const placeScopes: readonly ScopeChoice[] = shared;
export const personalScopes: readonly ScopeChoice[] = [
  ...shared.slice(0, 2),
  { value: 'read_user', label: 'read_user', description: 'Read your profile' },
  ...shared.slice(2),
];
export const administratorScopes: readonly ScopeChoice[] = [
  ...personalScopes,
  { value: 'sudo', label: 'sudo', description: 'Act as any user, within the other scopes' },
  { value: 'admin_mode', label: 'admin_mode', description: 'Administrator actions, also if admin mode is required' },
];

export const deployScopes: readonly ScopeChoice[] = [
  { value: 'read_repository', label: 'read_repository', description: 'git clone and pull' },
  { value: 'read_registry', label: 'read_registry', description: 'For a registry of images, when there is one' },
  { value: 'read_package_registry', label: 'read_package_registry', description: 'For packages, when there are any' },
];
