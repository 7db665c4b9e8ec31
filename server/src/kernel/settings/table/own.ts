/**
 * Settings that the ecosystem has not: limits of Millrace that an administrator sees and changes. One line each, with
 * `own: true`.
 */
import { flag, whole } from '../row.ts';

const counted = { own: true, acts: 'requests' } as const;

export const own = {
  offset_pagination_limit: whole('api', 50_000, 'Highest row that pages by number reach; 0 for any', {
    own: true,
    acts: 'lists',
  }),
  refuse_tokens_in_urls: flag('accounts', false, 'Tokens are read from headers only, not from the query', {
    own: true,
    acts: 'requests',
  }),
  oauth_http_redirect_uris_enabled: flag(
    'accounts',
    true,
    'OAuth applications redirect to http:// addresses of other machines',
    {
      own: true,
      acts: 'registering applications',
    },
  ),
  project_repositories_archive_limit: whole(
    'limits',
    0,
    'Archives that one downloads of a project a minute; 0 for any',
    counted,
  ),
  project_repositories_archive_unauthenticated_limit: whole('limits', 0, 'The same for all anonymous callers', counted),
  namespace_exists_limit: whole('limits', 20, 'Questions whether a namespace exists a minute; 0 for any', counted),
  ci_jobs_trace_size_limit: whole('limits', 100, 'Megabytes of the log of one job; a job that writes more is stopped', {
    own: true,
    min: 1,
    max: 1_048_576,
    acts: 'jobs',
  }),
  generic_packages_max_file_size: whole(
    'packages',
    5 * 1024 ** 3,
    'Bytes of one file of a generic package; 0 for any',
    {
      own: true,
      max: Number.MAX_SAFE_INTEGER,
      acts: 'packages',
    },
  ),
  push_rules_commit_limit: whole('limits', 100_000, 'New commits of one push that push rules look at; 0 for any', {
    own: true,
    acts: 'pushes',
  }),
  push_refs_limit: whole('limits', 50_000, 'Branches and tags that one push may move', {
    own: true,
    min: 1,
    acts: 'pushes',
  }),
  push_options_limit: whole('limits', 20, 'Options of one push', { own: true, acts: 'pushes' }),
  push_option_bytes_limit: whole('limits', 4096, 'Bytes of one push option', {
    own: true,
    max: 65_000,
    acts: 'pushes',
  }),
  secret_push_protection_size_limit: whole('limits', 100, 'Megabytes of one push that are looked through for secrets', {
    own: true,
    acts: 'pushes',
  }),
  secret_push_protection_seconds_limit: whole('limits', 60, 'Seconds of looking through one push; 0 for any', {
    own: true,
    max: 3600,
    acts: 'pushes',
  }),
  account_mails_limit: whole(
    'limits',
    10,
    'Mails of sign-up and new passwords to one address in an hour; 0 for any',
    counted,
  ),
  profile_resend_email_confirmation_limit: whole(
    'limits',
    5,
    'Mails of confirmation that one asks for again a minute; 0 for any',
    counted,
  ),
  web_hook_test_limit: whole('limits', 5, 'Tries of webhooks of one project or group a minute; 0 for any', counted),
  web_hook_event_resend_limit: whole('limits', 5, 'Repeated calls of one webhook a minute; 0 for any', counted),
  username_exists_limit: whole('limits', 20, 'Checks whether a username is taken a minute; 0 for any', counted),
  user_sign_in_limit: whole('limits', 600, 'Sign-ins to one account in 10 minutes; 0 for any', counted),
};
