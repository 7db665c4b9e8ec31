/** The general limits: by what a request is for and by who sends it. Off until an administrator switches them on. */
import type { Caller } from '../authz/subjects.ts';
import type { ApplicationSettings } from '../settings/index.ts';

/** What a request is for. Files of a repository and packages leave `api` while they have limits of their own. */
export type RequestClass = 'api' | 'files_api' | 'packages_api' | 'web' | 'git_http' | 'git_lfs';

export interface Throttle {
  /** `RateLimit-Name`. */
  readonly name: string;
  readonly enabled: (settings: ApplicationSettings) => boolean;
  readonly requests: (settings: ApplicationSettings) => number;
  readonly seconds: (settings: ApplicationSettings) => number;
}

type ThrottlePrefix =
  | 'throttle_unauthenticated_api'
  | 'throttle_authenticated_api'
  | 'throttle_unauthenticated_files_api'
  | 'throttle_authenticated_files_api'
  | 'throttle_unauthenticated_packages_api'
  | 'throttle_authenticated_packages_api'
  | 'throttle_unauthenticated_web'
  | 'throttle_authenticated_web'
  | 'throttle_unauthenticated_git_http'
  | 'throttle_authenticated_git_http'
  | 'throttle_authenticated_git_lfs'
  | 'throttle_protected_paths';

function throttle(prefix: ThrottlePrefix, name: string = prefix): Throttle {
  const enabled = `${prefix}_enabled` as const;
  const requests = `${prefix}_requests_per_period` as const;
  const seconds = `${prefix}_period_in_seconds` as const;
  return {
    name,
    enabled: (settings) => settings[enabled],
    requests: (settings) => settings[requests],
    seconds: (settings) => settings[seconds],
  };
}

/** By class, for anonymous callers (counted by address) and for users. */
export const throttles: Readonly<Record<RequestClass, { readonly anonymous: Throttle; readonly user: Throttle }>> = {
  api: { anonymous: throttle('throttle_unauthenticated_api'), user: throttle('throttle_authenticated_api') },
  files_api: {
    anonymous: throttle('throttle_unauthenticated_files_api'),
    user: throttle('throttle_authenticated_files_api'),
  },
  packages_api: {
    anonymous: throttle('throttle_unauthenticated_packages_api'),
    user: throttle('throttle_authenticated_packages_api'),
  },
  web: {
    anonymous: throttle('throttle_unauthenticated_web'),
    user: throttle('throttle_authenticated_web'),
  },
  git_http: {
    anonymous: throttle('throttle_unauthenticated_git_http'),
    user: throttle('throttle_authenticated_git_http'),
  },
  // Without an account both are git over HTTP.
  git_lfs: {
    anonymous: throttle('throttle_unauthenticated_git_http'),
    user: throttle('throttle_authenticated_git_lfs'),
  },
};

const protectedByAddress = throttle('throttle_protected_paths', 'throttle_unauthenticated_protected_paths');
const protectedByUser = throttle('throttle_protected_paths', 'throttle_authenticated_protected_paths_api');

export interface ThrottledRequest {
  readonly kind: RequestClass;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly caller: Caller | null;
}

function protectedPaths(method: string, settings: ApplicationSettings): readonly string[] {
  if (method === 'POST') return settings.protected_paths;
  return method === 'GET' || method === 'HEAD' ? settings.protected_paths_for_get_request : [];
}

/** The throttles that count a request, of those that are on. */
export function throttlesOf(request: ThrottledRequest, settings: ApplicationSettings): Throttle[] {
  const side = request.caller?.user ? 'user' : 'anonymous';
  // What the pages send with their session counts as theirs, not as a script's.
  const kind = request.caller?.credential.kind === 'session' && !request.kind.startsWith('git_') ? 'web' : request.kind;
  const own = throttles[kind][side];
  const found: Throttle[] = [];
  if (own.enabled(settings)) found.push(own);
  else if ((kind === 'files_api' || kind === 'packages_api') && throttles.api[side].enabled(settings))
    found.push(throttles.api[side]);
  if (
    settings.throttle_protected_paths_enabled &&
    protectedPaths(request.method, settings).some((path) => request.path.startsWith(path))
  )
    found.push(side === 'user' ? protectedByUser : protectedByAddress);
  return found;
}
