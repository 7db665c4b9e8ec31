/**
 * The one table of spellings: the specification's name first, then what existing clients send or expect for the same
 * thing. Aliases are accepted on input and added on output; nothing else in the product spells them.
 */

/** Session cookie; set under the first name, read under each. */
export const cookieNames = ['_service_session', '_gitlab_session'] as const;

/** File that defines a project's pipelines, in order of preference. */
export const ciConfigPaths = ['.millrace-ci.yml', '.gitlab-ci.yml'] as const;

/** Prefixes that tell kinds of tokens apart; clients and secret scanners rely on them. */
export const tokenPrefixes = {
  personal: 'glpat-',
  runner: 'glrt-',
  job: 'glcbt-',
  feed: 'glft-',
  trigger: 'glptt-',
  deploy: 'gldt-',
} as const;

/** The user name with which jobs send their token over Basic authentication. */
export const jobTokenUsername = 'gitlab-ci-token';

/** Prefixes of headers of answers that clients of the ecosystem read. */
export const headerPrefix = 'X-Gitlab-';

/** Names of variables in jobs: ours first, then the ecosystem's for the same value. */
export const serverVariableNames = {
  serverName: ['CI_SERVER_NAME'],
  marker: ['MILLRACE_CI', 'GITLAB_CI'],
  userId: ['MILLRACE_USER_ID', 'GITLAB_USER_ID'],
  userLogin: ['MILLRACE_USER_LOGIN', 'GITLAB_USER_LOGIN'],
  userName: ['MILLRACE_USER_NAME', 'GITLAB_USER_NAME'],
  userEmail: ['MILLRACE_USER_EMAIL', 'GITLAB_USER_EMAIL'],
  features: ['MILLRACE_FEATURES', 'GITLAB_FEATURES'],
} as const;

/** The release of the ecosystem's API that we are compatible with; clients compare it. */
export const compatibleVersion = '18.6.0-millrace';
