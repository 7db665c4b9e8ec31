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
};
