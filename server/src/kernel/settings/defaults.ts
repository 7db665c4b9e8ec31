/** The application settings that something reads today, with their defaults. A new reader adds its row here. */
import { tokenPrefixes } from '../names.ts';

type Visibility = 'private' | 'internal' | 'public';

/** Every setting by the name that the settings API gives it. */
export interface ApplicationSettings {
  /** Name of the first branch of a new project. */
  readonly default_branch_name: string;
  /** Minutes after which an idle session ends. */
  readonly session_expire_delay: number;
  readonly default_project_visibility: Visibility;
  readonly default_group_visibility: Visibility;
  readonly restricted_visibility_levels: readonly Visibility[];
  readonly default_branch_protection: number;
  readonly default_projects_limit: number;
  readonly default_ci_config_path: string | null;
  readonly can_create_group: boolean;
  readonly user_defaults_to_private_profile: boolean;
  readonly user_default_external: boolean;
  readonly password_authentication_enabled_for_web: boolean;
  readonly password_authentication_enabled_for_git: boolean;
  readonly minimum_password_length: number;
  readonly max_login_attempts: number;
  readonly failed_login_attempts_unlock_period_in_minutes: number;
  readonly personal_access_token_prefix: string;
  /** Megabytes of one job's archive. */
  readonly max_artifacts_size: number;
  /** Duration after which artifacts without a date of their own are removed, like `30 days`; `0` keeps them. */
  readonly default_artifacts_expire_in: string;
  readonly keep_latest_artifact: boolean;
  /** Days that a deleted group or project is kept; 0 removes it at once. */
  readonly deletion_adjourned_period: number;
  readonly shared_runners_enabled: boolean;
  readonly allow_runner_registration_token: boolean;
  /** The highest row that pages by number reach; 0 for no limit. */
  readonly offset_pagination_limit: number;
  /** General limits (kernel/rate-limits): whether they are on, and requests per period. */
  readonly throttle_unauthenticated_api_enabled: boolean;
  readonly throttle_unauthenticated_api_requests_per_period: number;
  readonly throttle_unauthenticated_api_period_in_seconds: number;
  readonly throttle_authenticated_api_enabled: boolean;
  readonly throttle_authenticated_api_requests_per_period: number;
  readonly throttle_authenticated_api_period_in_seconds: number;
  readonly throttle_unauthenticated_files_api_enabled: boolean;
  readonly throttle_unauthenticated_files_api_requests_per_period: number;
  readonly throttle_unauthenticated_files_api_period_in_seconds: number;
  readonly throttle_authenticated_files_api_enabled: boolean;
  readonly throttle_authenticated_files_api_requests_per_period: number;
  readonly throttle_authenticated_files_api_period_in_seconds: number;
  readonly throttle_unauthenticated_web_enabled: boolean;
  readonly throttle_unauthenticated_web_requests_per_period: number;
  readonly throttle_unauthenticated_web_period_in_seconds: number;
  readonly throttle_authenticated_web_enabled: boolean;
  readonly throttle_authenticated_web_requests_per_period: number;
  readonly throttle_authenticated_web_period_in_seconds: number;
  readonly throttle_unauthenticated_git_http_enabled: boolean;
  readonly throttle_unauthenticated_git_http_requests_per_period: number;
  readonly throttle_unauthenticated_git_http_period_in_seconds: number;
  readonly throttle_authenticated_git_http_enabled: boolean;
  readonly throttle_authenticated_git_http_requests_per_period: number;
  readonly throttle_authenticated_git_http_period_in_seconds: number;
  readonly throttle_protected_paths_enabled: boolean;
  readonly throttle_protected_paths_requests_per_period: number;
  readonly throttle_protected_paths_period_in_seconds: number;
  /** Paths whose POST counts in `throttle_protected_paths_*`. */
  readonly protected_paths: readonly string[];
  /** Body of the general limits' 429. */
  readonly rate_limiting_response_text: string | null;
  /** Named limits (kernel/rate-limits/limits.ts): requests per window; 0 is no limit. */
  readonly raw_blob_request_limit: number;
  readonly project_repositories_archive_limit: number;
  readonly project_repositories_archive_unauthenticated_limit: number;
  readonly projects_api_limit: number;
  readonly projects_api_rate_limit_unauthenticated: number;
  readonly project_api_limit: number;
  readonly project_members_api_limit: number;
  readonly project_invited_groups_api_limit: number;
  readonly members_delete_limit: number;
  readonly groups_api_limit: number;
  readonly group_api_limit: number;
  readonly group_projects_api_limit: number;
  readonly group_shared_groups_api_limit: number;
  readonly group_invited_groups_api_limit: number;
  readonly group_archive_unarchive_api_limit: number;
  readonly user_projects_api_limit: number;
  readonly user_contributed_projects_api_limit: number;
  readonly user_starred_projects_api_limit: number;
  readonly users_api_limit_followers: number;
  readonly users_api_limit_following: number;
  readonly users_api_limit_status: number;
  readonly users_api_limit_ssh_keys: number;
  readonly users_api_limit_ssh_key: number;
  readonly users_api_limit_gpg_keys: number;
  readonly users_api_limit_gpg_key: number;
  readonly users_get_by_id_limit: number;
  readonly namespace_exists_limit: number;
  readonly project_jobs_api_rate_limit: number;
  readonly pipeline_limit_per_project_user_sha: number;
  readonly issues_create_limit: number;
  readonly notes_create_limit: number;
  readonly search_rate_limit: number;
  readonly search_rate_limit_unauthenticated: number;
  readonly autocomplete_users_limit: number;
  readonly autocomplete_users_unauthenticated_limit: number;
  readonly project_import_limit: number;
  readonly project_export_limit: number;
  readonly project_download_export_limit: number;
  readonly group_import_limit: number;
  readonly group_export_limit: number;
  readonly group_download_export_limit: number;
  readonly user_sign_in_limit: number;
  readonly runner_jobs_request_api_limit: number;
  readonly runner_jobs_patch_trace_api_limit: number;
  readonly runner_jobs_endpoints_api_limit: number;
  /** Names, in lower case, of users whom these limits leave alone. */
  readonly users_get_by_id_limit_allowlist: readonly string[];
  readonly notes_create_limit_allowlist: readonly string[];
  readonly search_rate_limit_allowlist: readonly string[];
  /** Tokens are read from headers only, not from the query. */
  readonly refuse_tokens_in_urls: boolean;
}

export type SettingName = keyof ApplicationSettings;

/** What holds until an administrator changes it. */
export const defaultSettings: ApplicationSettings = {
  default_branch_name: 'main',
  session_expire_delay: 10_080,
  default_project_visibility: 'private',
  default_group_visibility: 'private',
  restricted_visibility_levels: [],
  default_branch_protection: 2,
  default_projects_limit: 100_000,
  default_ci_config_path: null,
  can_create_group: true,
  user_defaults_to_private_profile: false,
  user_default_external: false,
  password_authentication_enabled_for_web: true,
  password_authentication_enabled_for_git: true,
  minimum_password_length: 8,
  max_login_attempts: 10,
  failed_login_attempts_unlock_period_in_minutes: 10,
  personal_access_token_prefix: tokenPrefixes.personal,
  max_artifacts_size: 100,
  default_artifacts_expire_in: '30 days',
  keep_latest_artifact: true,
  deletion_adjourned_period: 30,
  shared_runners_enabled: true,
  allow_runner_registration_token: true,
  offset_pagination_limit: 50_000,
  throttle_unauthenticated_api_enabled: false,
  throttle_unauthenticated_api_requests_per_period: 3600,
  throttle_unauthenticated_api_period_in_seconds: 3600,
  throttle_authenticated_api_enabled: false,
  throttle_authenticated_api_requests_per_period: 7200,
  throttle_authenticated_api_period_in_seconds: 3600,
  throttle_unauthenticated_files_api_enabled: false,
  throttle_unauthenticated_files_api_requests_per_period: 125,
  throttle_unauthenticated_files_api_period_in_seconds: 15,
  throttle_authenticated_files_api_enabled: false,
  throttle_authenticated_files_api_requests_per_period: 500,
  throttle_authenticated_files_api_period_in_seconds: 15,
  throttle_unauthenticated_web_enabled: false,
  throttle_unauthenticated_web_requests_per_period: 3600,
  throttle_unauthenticated_web_period_in_seconds: 3600,
  throttle_authenticated_web_enabled: false,
  throttle_authenticated_web_requests_per_period: 7200,
  throttle_authenticated_web_period_in_seconds: 3600,
  throttle_unauthenticated_git_http_enabled: false,
  throttle_unauthenticated_git_http_requests_per_period: 3600,
  throttle_unauthenticated_git_http_period_in_seconds: 3600,
  throttle_authenticated_git_http_enabled: false,
  throttle_authenticated_git_http_requests_per_period: 3600,
  throttle_authenticated_git_http_period_in_seconds: 3600,
  throttle_protected_paths_enabled: false,
  throttle_protected_paths_requests_per_period: 10,
  throttle_protected_paths_period_in_seconds: 60,
  protected_paths: [
    '/users/password',
    '/users/sign_in',
    '/api/v4/session',
    '/users',
    '/users/confirmation',
    '/unsubscribes/',
    '/admin/session',
    '/-/session',
  ],
  rate_limiting_response_text: null,
  raw_blob_request_limit: 300,
  project_repositories_archive_limit: 5,
  project_repositories_archive_unauthenticated_limit: 100,
  projects_api_limit: 2000,
  projects_api_rate_limit_unauthenticated: 400,
  project_api_limit: 400,
  project_members_api_limit: 200,
  project_invited_groups_api_limit: 60,
  members_delete_limit: 60,
  groups_api_limit: 200,
  group_api_limit: 400,
  group_projects_api_limit: 600,
  group_shared_groups_api_limit: 60,
  group_invited_groups_api_limit: 60,
  group_archive_unarchive_api_limit: 60,
  user_projects_api_limit: 300,
  user_contributed_projects_api_limit: 100,
  user_starred_projects_api_limit: 100,
  users_api_limit_followers: 100,
  users_api_limit_following: 100,
  users_api_limit_status: 240,
  users_api_limit_ssh_keys: 120,
  users_api_limit_ssh_key: 120,
  users_api_limit_gpg_keys: 120,
  users_api_limit_gpg_key: 120,
  users_get_by_id_limit: 300,
  namespace_exists_limit: 20,
  project_jobs_api_rate_limit: 600,
  pipeline_limit_per_project_user_sha: 0,
  issues_create_limit: 300,
  notes_create_limit: 300,
  search_rate_limit: 30,
  search_rate_limit_unauthenticated: 10,
  autocomplete_users_limit: 300,
  autocomplete_users_unauthenticated_limit: 100,
  project_import_limit: 6,
  project_export_limit: 6,
  project_download_export_limit: 1,
  group_import_limit: 6,
  group_export_limit: 6,
  group_download_export_limit: 1,
  user_sign_in_limit: 60,
  runner_jobs_request_api_limit: 2000,
  runner_jobs_patch_trace_api_limit: 200,
  runner_jobs_endpoints_api_limit: 200,
  users_get_by_id_limit_allowlist: [],
  notes_create_limit_allowlist: [],
  search_rate_limit_allowlist: [],
  refuse_tokens_in_urls: false,
};
