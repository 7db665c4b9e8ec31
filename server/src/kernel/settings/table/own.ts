/**
 * Settings that the ecosystem has not: limits of Millrace that an administrator sees and changes. One line each, with
 * `own: true`.
 */
import { flag, whole } from '../row.ts';

const counted = { own: true, acts: 'requests' } as const;

export const own = {
  offset_pagination_limit: whole('api', 50_000, 'Maximum offset of paginated lists; 0 for unlimited', {
    own: true,
    acts: 'lists',
  }),
  refuse_tokens_in_urls: flag('accounts', false, 'Accept tokens only in headers, not in URLs', {
    own: true,
    acts: 'requests',
  }),
  oauth_http_redirect_uris_enabled: flag(
    'accounts',
    true,
    'Allow http:// redirect URIs of OAuth applications on other hosts',
    {
      own: true,
      acts: 'registering applications',
    },
  ),
  project_repositories_archive_limit: whole(
    'limits',
    0,
    'Archive downloads per minute, project and user; 0 for unlimited',
    counted,
  ),
  project_repositories_archive_unauthenticated_limit: whole(
    'limits',
    0,
    'Archive downloads per minute, project and unauthenticated address; 0 for unlimited',
    counted,
  ),
  namespace_exists_limit: whole('limits', 20, 'Checks for existing namespaces per minute; 0 for unlimited', counted),
  ci_jobs_trace_size_limit: whole('limits', 100, 'Maximum job log size in MB; a job that exceeds it is stopped', {
    own: true,
    min: 1,
    max: 1_048_576,
    acts: 'jobs',
  }),
  dotenv_size: whole('ci', 5120, 'Maximum size of a dotenv report in bytes', {
    own: true,
    min: 1,
    max: 1_048_576,
    acts: 'jobs',
  }),
  dotenv_variables: whole('ci', 20, 'Maximum variables of a dotenv report', { own: true, max: 10_000, acts: 'jobs' }),
  generic_packages_max_file_size: whole(
    'packages',
    5 * 1024 ** 3,
    'Maximum file size of generic packages in bytes; 0 for unlimited',
    {
      own: true,
      max: Number.MAX_SAFE_INTEGER,
      acts: 'packages',
    },
  ),
  push_rules_commit_limit: whole(
    'limits',
    100_000,
    'Maximum new commits of a push that push rules check; 0 for unlimited',
    {
      own: true,
      acts: 'pushes',
    },
  ),
  push_refs_limit: whole('limits', 50_000, 'Maximum branches and tags changed by a push', {
    own: true,
    min: 1,
    acts: 'pushes',
  }),
  push_options_limit: whole('limits', 20, 'Maximum options of a push', { own: true, acts: 'pushes' }),
  push_option_bytes_limit: whole('limits', 4096, 'Maximum size of a push option in bytes', {
    own: true,
    max: 65_000,
    acts: 'pushes',
  }),
  secret_push_protection_size_limit: whole('limits', 100, 'Maximum size of a push scanned for secrets in MB', {
    own: true,
    acts: 'pushes',
  }),
  secret_push_protection_seconds_limit: whole(
    'limits',
    60,
    'Timeout of scanning a push for secrets in seconds; 0 for unlimited',
    {
      own: true,
      max: 3600,
      acts: 'pushes',
    },
  ),
  account_mails_limit: whole(
    'limits',
    10,
    'Sign-up and password reset emails per hour and address; 0 for unlimited',
    counted,
  ),
  profile_resend_email_confirmation_limit: whole(
    'limits',
    5,
    'Requests to resend confirmation emails per minute; 0 for unlimited',
    counted,
  ),
  web_hook_test_limit: whole('limits', 5, 'Webhook tests per minute, project or group; 0 for unlimited', counted),
  web_hook_event_resend_limit: whole('limits', 5, 'Webhook resends per minute and webhook; 0 for unlimited', counted),
  username_exists_limit: whole('limits', 20, 'Checks for existing usernames per minute; 0 for unlimited', counted),
  user_sign_in_limit: whole('limits', 600, 'Sign-in attempts per account and 10 minutes; 0 for unlimited', counted),
};
