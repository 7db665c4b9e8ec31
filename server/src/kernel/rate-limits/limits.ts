/**
 * The named limits of single endpoints: one row each. A route names its row (`rate: 'raw_blob'`); rows that no route names
 * yet wait for theirs. Names, values and what is counted are the ecosystem's.
 */
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Caller, Subject } from '../authz/subjects.ts';
import type { ApplicationSettings } from '../settings/index.ts';

/** What a row may look at to tell whose requests count together. */
export interface RateFacts {
  readonly caller: Caller;
  /** The client's address as limits count it; none for what happens without a request. */
  readonly address?: string;
  readonly subject?: Subject | undefined;
  readonly params: Readonly<Record<string, unknown>>;
  readonly request?: FastifyRequest;
}

/** Settings that hold a number. */
type NumberSetting = {
  [K in keyof ApplicationSettings]: ApplicationSettings[K] extends number ? K : never;
}[keyof ApplicationSettings];

export interface NamedLimit {
  /** Requests per window; 0 is no limit. */
  readonly setting: NumberSetting;
  readonly seconds: number;
  /** What is counted, in words for the documentation. */
  readonly per: string;
  /** Requests with equal text count together; those with null are not counted. */
  readonly by: (facts: RateFacts) => string | null;
  /** Users by name who are not limited. */
  readonly allowlist?: Extract<keyof ApplicationSettings, `${string}_allowlist`>;
  /** The row stands in for the general limits of the API. */
  readonly instead?: true;
}

const minute = 60;
const user = ({ caller }: RateFacts) => (caller.user === null ? null : `user:${caller.user.id}`);
const anybody = (facts: RateFacts) => user(facts) ?? `address:${facts.address}`;
const stranger = (facts: RateFacts) => (facts.caller.user === null ? `address:${facts.address}` : null);
const place = ({ subject }: RateFacts) =>
  subject === undefined
    ? 'none'
    : subject.kind === 'project'
      ? `project:${subject.project.id}`
      : `group:${subject.group.id}`;
const userIn = (facts: RateFacts) => (facts.caller.user === null ? null : `${place(facts)} ${user(facts)}`);

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
/** The token that runners and their jobs send, wherever their version puts it; only its hash is counted by. */
function runnerToken({ request, params }: RateFacts): string {
  const headers = request?.headers ?? {};
  const token =
    textOf(headers['job-token']) ??
    textOf(params.token) ??
    textOf(headers['runner-token']) ??
    textOf(headers['private-token']) ??
    '';
  return createHash('sha256').update(token).digest('base64url');
}

const perUser = { per: 'user', by: user } as const;
const perCaller = { per: 'user, or address of anonymous callers', by: anybody } as const;
const perAddress = { per: 'address of anonymous callers', by: stranger } as const;
const perUserIn = { per: 'user and project or group', by: userIn } as const;
const perRunner = { per: "runner's or job's token", by: runnerToken, instead: true } as const;

/** `git-upload-pack`, `git-receive-pack` and the like, of one person or deploy key in one project. */
const operationIn = (facts: RateFacts) => {
  const { credential } = facts.caller;
  const actor = credential.kind === 'deploy_key' ? `key:${credential.keyId}` : user(facts);
  return actor === null ? null : `${textOf(facts.params.operation) ?? ''} ${place(facts)} ${actor}`;
};

const rows = {
  gitlab_shell_operation: {
    setting: 'gitlab_shell_operation_limit',
    seconds: minute,
    per: 'operation, project, and user or deploy key',
    by: operationIn,
  },
  raw_blob: {
    setting: 'raw_blob_request_limit',
    seconds: minute,
    per: 'project and path',
    by: (facts) => `${place(facts)} ${textOf(facts.params.file_path) ?? ''}`,
  },
  project_repositories_archive: { setting: 'project_repositories_archive_limit', seconds: minute, ...perUserIn },
  project_repositories_archive_unauthenticated: {
    setting: 'project_repositories_archive_unauthenticated_limit',
    seconds: minute,
    per: 'project, all anonymous callers together',
    by: (facts) => (facts.caller.user === null ? place(facts) : null),
  },
  projects_api: { setting: 'projects_api_limit', seconds: 10 * minute, ...perUser },
  projects_api_rate_limit_unauthenticated: {
    setting: 'projects_api_rate_limit_unauthenticated',
    seconds: 10 * minute,
    ...perAddress,
  },
  project_api: { setting: 'project_api_limit', seconds: minute, ...perCaller },
  project_members_api: { setting: 'project_members_api_limit', seconds: minute, ...perCaller },
  project_invited_groups_api: { setting: 'project_invited_groups_api_limit', seconds: minute, ...perCaller },
  members_delete: { setting: 'members_delete_limit', seconds: minute, ...perUserIn },
  groups_api: { setting: 'groups_api_limit', seconds: minute, ...perCaller },
  group_api: { setting: 'group_api_limit', seconds: minute, ...perCaller },
  group_projects_api: { setting: 'group_projects_api_limit', seconds: minute, ...perCaller },
  update_namespace_name: {
    setting: 'update_namespace_name_rate_limit',
    seconds: 60 * minute,
    per: 'group whose name or path is changed',
    by: (facts) => (facts.params.name === undefined && facts.params.path === undefined ? null : place(facts)),
  },
  group_shared_groups_api: { setting: 'group_shared_groups_api_limit', seconds: minute, ...perCaller },
  group_invited_groups_api: { setting: 'group_invited_groups_api_limit', seconds: minute, ...perCaller },
  group_archive_unarchive_api: { setting: 'group_archive_unarchive_api_limit', seconds: minute, ...perCaller },
  user_projects_api: { setting: 'user_projects_api_limit', seconds: minute, ...perCaller },
  user_contributed_projects_api: { setting: 'user_contributed_projects_api_limit', seconds: minute, ...perCaller },
  user_starred_projects_api: { setting: 'user_starred_projects_api_limit', seconds: minute, ...perCaller },
  user_followers: { setting: 'users_api_limit_followers', seconds: minute, ...perCaller },
  user_following: { setting: 'users_api_limit_following', seconds: minute, ...perCaller },
  user_status: { setting: 'users_api_limit_status', seconds: minute, ...perCaller },
  user_ssh_keys: { setting: 'users_api_limit_ssh_keys', seconds: minute, ...perCaller },
  user_ssh_key: { setting: 'users_api_limit_ssh_key', seconds: minute, ...perCaller },
  user_gpg_keys: { setting: 'users_api_limit_gpg_keys', seconds: minute, ...perCaller },
  user_gpg_key: { setting: 'users_api_limit_gpg_key', seconds: minute, ...perCaller },
  users_get_by_id: {
    setting: 'users_get_by_id_limit',
    seconds: 10 * minute,
    ...perUser,
    allowlist: 'users_get_by_id_limit_allowlist',
  },
  namespace_exists: { setting: 'namespace_exists_limit', seconds: minute, ...perUser },
  username_exists: { setting: 'username_exists_limit', seconds: minute, ...perCaller },
  jobs_index: { setting: 'project_jobs_api_rate_limit', seconds: minute, ...perUser },
  pipelines_create: {
    setting: 'pipeline_limit_per_project_user_sha',
    seconds: minute,
    per: 'project, user and commit',
    by: (facts) => (facts.caller.user === null ? null : `${userIn(facts)} ${textOf(facts.params.sha) ?? ''}`),
  },
  downstream_pipelines: {
    setting: 'downstream_pipeline_trigger_limit_per_project_user_sha',
    seconds: minute,
    per: 'project, user and commit of the trigger job',
    by: (facts) => (facts.caller.user === null ? null : `${userIn(facts)} ${textOf(facts.params.sha) ?? ''}`),
  },
  pipelines_created_per_user: { setting: 'pipeline_limit_per_user', seconds: minute, ...perUser },
  issues_create: { setting: 'issues_create_limit', seconds: minute, ...perUserIn },
  notes_create: {
    setting: 'notes_create_limit',
    seconds: minute,
    ...perUser,
    allowlist: 'notes_create_limit_allowlist',
  },
  search_rate_limit: {
    setting: 'search_rate_limit',
    seconds: minute,
    ...perUser,
    allowlist: 'search_rate_limit_allowlist',
  },
  search_rate_limit_unauthenticated: {
    setting: 'search_rate_limit_unauthenticated',
    seconds: minute,
    ...perAddress,
  },
  autocomplete_users: { setting: 'autocomplete_users_limit', seconds: minute, ...perUser },
  autocomplete_users_unauthenticated: {
    setting: 'autocomplete_users_unauthenticated_limit',
    seconds: minute,
    ...perAddress,
  },
  project_import: { setting: 'project_import_limit', seconds: minute, ...perUser },
  project_export: { setting: 'project_export_limit', seconds: minute, ...perUser },
  project_download_export: { setting: 'project_download_export_limit', seconds: minute, ...perUserIn },
  group_import: { setting: 'group_import_limit', seconds: minute, ...perUser },
  group_export: { setting: 'group_export_limit', seconds: minute, ...perUser },
  group_download_export: { setting: 'group_download_export_limit', seconds: minute, ...perUserIn },
  web_hook_test: { setting: 'web_hook_test_limit', seconds: minute, ...perUserIn },
  web_hook_event_resend: {
    setting: 'web_hook_event_resend_limit',
    seconds: minute,
    per: 'user and webhook',
    by: (facts) => (facts.caller.user === null ? null : `${facts.params.hook_id ?? facts.params.id} ${user(facts)}`),
  },
  user_sign_in: {
    setting: 'user_sign_in_limit',
    seconds: 10 * minute,
    per: 'account that is signed in to, existing or not',
    by: ({ params }) => textOf(params.login)?.trim().toLowerCase() ?? null,
  },
  account_mails: {
    setting: 'account_mails_limit',
    seconds: 60 * minute,
    per: 'address that a mail of sign-up, confirmation or a new password is asked for, known or not',
    by: ({ params }) => textOf(params.email)?.trim().toLowerCase() ?? null,
  },
  profile_resend_email_confirmation: {
    setting: 'profile_resend_email_confirmation_limit',
    seconds: minute,
    ...perUser,
  },
  runner_jobs_request_api: { setting: 'runner_jobs_request_api_limit', seconds: minute, ...perRunner },
  runner_jobs_patch_trace_api: { setting: 'runner_jobs_patch_trace_api_limit', seconds: minute, ...perRunner },
  runner_jobs_api: { setting: 'runner_jobs_endpoints_api_limit', seconds: minute, ...perRunner },
} as const satisfies Record<string, NamedLimit>;

export type LimitName = keyof typeof rows;
export const namedLimits: Readonly<Record<LimitName, NamedLimit>> = rows;
