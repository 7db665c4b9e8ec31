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
  /** Of runners that a registration token made: such a runner removes itself when it unregisters. */
  registeredRunner: 'glrtr-',
  job: 'glcbt-',
  feed: 'glft-',
  trigger: 'glptt-',
  deploy: 'gldt-',
  /** Secrets of OAuth applications. */
  oauthApplication: 'gloas-',
} as const;

/** The instance as what an audit event is about. */
export const instanceEntityNames = ['Instance', 'Gitlab::Audit::InstanceScope'] as const;

/** The username with which jobs send their token over Basic authentication. */
export const jobTokenUsername = 'gitlab-ci-token';

/** The username with which OAuth access tokens are sent over Basic authentication; no password is ever meant. */
export const oauthUsername = 'oauth2';

/** Prefixes of headers of answers that clients of the ecosystem read. */
export const headerPrefix = 'X-Gitlab-';
/** Of the headers of notification mails. */
export const mailHeaderPrefix = 'X-GitLab-';

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

/** Application settings: the specification's name first, then the names that clients of the ecosystem send and read. */
export const settingAliases = {
  avatarservice_enabled: ['gravatar_enabled'],
  diagramrenderer_enabled: ['kroki_enabled'],
  diagramrenderer_formats: ['kroki_formats'],
  diagramrenderer_url: ['kroki_url'],
  diagramservice_enabled: ['diagramsnet_enabled'],
  diagramservice_url: ['diagramsnet_url'],
  spamfilter_api_key: ['akismet_api_key'],
  spamfilter_enabled: ['akismet_enabled'],
  tracker_connect_additional_audience_url: ['jira_connect_additional_audience_url'],
  tracker_connect_application_key: ['jira_connect_application_key'],
  tracker_connect_proxy_url: ['jira_connect_proxy_url'],
  tracker_connect_public_key_storage_enabled: ['jira_connect_public_key_storage_enabled'],
  umlrenderer_enabled: ['plantuml_enabled'],
  umlrenderer_url: ['plantuml_url'],
} as const;

/** Variables of a job that is tried again: files with the tests that failed in the attempt before. */
export const failedTestVariable = 'MILLRACE_FAILED_TESTS';
export const failedTestFilesVariable = 'MILLRACE_FAILED_TEST_FILES';

/** The name of the deploy token that jobs get as variables. */
export const ciDeployTokenName = 'gitlab-deploy-token';

/** The username of a deploy token that was given none. */
export const deployTokenUsername = (id: number): string => `gitlab+deploy-token-${id}`;
