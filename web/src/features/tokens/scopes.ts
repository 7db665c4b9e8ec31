/** What tokens can be limited to, in words. */
const shared = [
  { value: 'api', label: 'api', description: 'Everything over the API, and git' },
  { value: 'read_api', label: 'read_api', description: 'Read-only API access' },
  { value: 'read_repository', label: 'read_repository', description: 'git clone and pull, reading files' },
  { value: 'write_repository', label: 'write_repository', description: 'Push code' },
  { value: 'create_runner', label: 'create_runner', description: 'Creating runners' },
  { value: 'manage_runner', label: 'manage_runner', description: 'Changing and removing runners' },
  { value: 'self_rotate', label: 'self_rotate', description: 'Replacing itself before it expires' },
] as const;

export interface ScopeChoice {
  readonly value: string;
  readonly label: string;
  readonly description: string;
}

export const placeScopes: readonly ScopeChoice[] = shared;
export const personalScopes: readonly ScopeChoice[] = [
  ...shared.slice(0, 2),
  { value: 'read_user', label: 'read_user', description: 'Reading your account' },
  ...shared.slice(2),
];
export const administratorScopes: readonly ScopeChoice[] = [
  ...personalScopes,
  { value: 'sudo', label: 'sudo', description: 'Acting as any user, within the other scopes' },
  { value: 'admin_mode', label: 'admin_mode', description: 'What administrators may, also where it needs admin mode' },
];

export const deployScopes: readonly ScopeChoice[] = [
  { value: 'read_repository', label: 'read_repository', description: 'git clone and pull' },
  { value: 'read_registry', label: 'read_registry', description: 'For a registry of images, when there is one' },
  { value: 'read_package_registry', label: 'read_package_registry', description: 'For packages, when there are any' },
];
