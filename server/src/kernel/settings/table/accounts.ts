/** Settings of accounts: registration, sign-in, passwords, sessions, tokens, keys. */
import { tokenPrefixes } from '../../names.ts';
import { decimal, flag, integers, level, map, text, texts, whole, word } from '../row.ts';

const days = { min: 1, max: 400 };
/** Sizes that keys of a kind have; `-1` forbids the kind, 0 takes every size. */
const keySizes = (kind: string, sizes: readonly number[], fallback: number) =>
  level('accounts', [0, ...sizes, -1], fallback, `Minimum bits of ${kind} keys; -1 forbids them, 0 takes all`, {
    acts: 'SSH keys',
  });
const curves = [256, 384, 521];
const note = { max: 65_535 };
const access = { acts: 'access to projects' };
const newAccounts = { acts: 'new accounts' };
const passwords = { acts: 'new passwords' };
const registration = { acts: 'registration' };

export const accounts = {
  after_sign_out_path: text('accounts', null, 'Redirect after sign-out', {
    max: 2_048,
    acts: 'signing out',
  }),
  after_sign_up_text: text('accounts', null, 'Shown after registration', { ...note, ...registration }),
  admin_mode: flag('accounts', false, 'Administrators sign in again for administrative tasks', {
    acts: 'sessions and tokens',
  }),
  allow_account_deletion: flag('accounts', true, 'People may delete their own account', { acts: 'removal' }),
  allow_deploy_tokens_and_keys_with_external_authn: flag(
    'accounts',
    false,
    'Deploy tokens and keys work while an external service authorizes access',
    access,
  ),
  allow_group_owners_to_manage_ldap: flag('accounts', true, 'Group owners manage LDAP synchronisation', {
    acts: 'LDAP group links',
  }),
  allow_top_level_group_owners_to_create_service_accounts: flag(
    'accounts',
    false,
    'Group owners make and remove service accounts',
    { acts: 'service accounts' },
  ),
  authorized_keys_enabled: flag('accounts', true, 'Keep an authorized_keys file; Millrace serves SSH itself'),
  can_create_group: flag('accounts', true, 'New accounts may create top-level groups', newAccounts),
  deactivate_dormant_users: flag('accounts', false, 'Deactivate accounts that nobody uses', {
    acts: 'deactivating accounts',
  }),
  deactivate_dormant_users_period: whole('accounts', 90, 'Days until an account counts as unused', {
    min: 90,
    acts: 'deactivating accounts',
  }),
  default_dark_syntax_highlighting_theme: whole('accounts', 2, 'Highlighting theme of new accounts in the dark', {
    min: 1,
  }),
  default_preferred_language: text('accounts', 'en', 'Language for people who did not choose one', {
    max: 16,
    ...newAccounts,
  }),
  default_projects_limit: whole('accounts', 100_000, 'Personal projects of a new account', newAccounts),
  default_syntax_highlighting_theme: whole('accounts', 1, 'Highlighting theme of new accounts', {
    min: 1,
    ...newAccounts,
  }),
  delay_user_account_self_deletion: flag('accounts', false, 'Accounts deleted by their owner are kept for a while', {
    acts: 'removal',
  }),
  delete_unconfirmed_users: flag('accounts', false, 'Delete accounts whose address was never confirmed', {
    acts: 'removal',
  }),
  disable_admin_oauth_scopes: flag('accounts', false, 'Administrators cannot authorise applications with wide scopes', {
    acts: 'consent to applications',
  }),
  disable_feed_token: flag('accounts', false, 'Do not show tokens of feeds and calendars', { acts: 'feeds' }),
  disable_password_authentication_for_users_with_sso_identities: flag(
    'accounts',
    false,
    'No password beside single sign-on',
  ),
  disable_personal_access_tokens: flag('accounts', false, 'Nobody makes or uses personal access tokens', {
    acts: 'access tokens',
  }),
  disabled_oauth_sign_in_sources: texts('accounts', [], 'Providers that nobody may sign in with'),
  domain_allowlist: texts('accounts', [], 'Only addresses of these domains register; wildcards', registration),
  domain_denylist: texts('accounts', [], 'Addresses of these domains do not register; wildcards', registration),
  domain_denylist_enabled: flag('accounts', false, 'Use domain_denylist', {
    needs: ['domain_denylist'],
    ...registration,
  }),
  dsa_key_restriction: keySizes('DSA', [1_024, 2_048, 3_072], -1),
  ecdsa_key_restriction: keySizes('ECDSA', curves, 0),
  ecdsa_sk_key_restriction: keySizes('ECDSA_SK', [256], 0),
  ed25519_key_restriction: keySizes('ED25519', [256], 0),
  ed25519_sk_key_restriction: keySizes('ED25519_SK', [256], 0),
  email_confirmation_setting: word(
    'accounts',
    ['off', 'soft', 'hard'],
    'off',
    'Whether a new address must be confirmed',
    { acts: 'registration and sign-in' },
  ),
  email_restrictions: text('accounts', null, 'Expression for addresses that may not register', {
    ...note,
    format: 'regex',
    ...registration,
  }),
  email_restrictions_enabled: flag('accounts', false, 'Use email_restrictions', {
    needs: ['email_restrictions'],
    ...registration,
  }),
  enforce_email_subaddress_restrictions: flag('accounts', false, 'No addresses with + register', registration),
  enforce_terms: flag('accounts', false, 'Everybody must accept the terms', {
    needs: ['terms'],
    acts: 'registration and sign-in',
  }),
  terms: text('accounts', null, 'Terms of service, Markdown', { max: 1_000_000, ...registration }),
  external_auth_client_cert: text('accounts', null, 'Certificate for the external authorization service', {
    ...note,
    ...access,
    needs: ['external_auth_client_key'],
  }),
  external_auth_client_key: text('accounts', null, 'Key of the certificate for the external authorization service', {
    ...note,
    ...access,
    secret: 'masked',
  }),
  external_auth_client_key_pass: text(
    'accounts',
    null,
    'Passphrase of the key for the external authorization service',
    {
      ...access,
      secret: 'masked',
    },
  ),
  external_authorization_service_enabled: flag(
    'accounts',
    false,
    'Ask an external service who may access which project',
    {
      ...access,
      needs: [
        'external_authorization_service_default_label',
        'external_authorization_service_timeout',
        'external_authorization_service_url',
      ],
    },
  ),
  external_authorization_service_default_label: text(
    'accounts',
    null,
    'Classification label of projects that have none',
    access,
  ),
  external_authorization_service_timeout: decimal(
    'accounts',
    0.5,
    'Seconds to wait for the external authorization service',
    { min: 0.001, max: 10, ...access },
  ),
  external_authorization_service_url: text('accounts', null, 'Address of the external authorization service', {
    ...access,
    format: 'url',
  }),
  failed_login_attempts_unlock_period_in_minutes: whole('accounts', 10, 'Minutes that an account stays locked', {
    min: 1,
    acts: 'sign-in',
  }),
  git_two_factor_session_expiry: whole('accounts', 15, 'Minutes of git over SSH after a second factor', {
    min: 1,
    max: 10_080,
    acts: 'git over SSH',
  }),
  globally_allowed_ips: text('accounts', '', 'Addresses that reach every group, whatever its own ranges', {
    ...note,
    format: 'addresses',
    acts: 'groups with ip_restriction_ranges',
  }),
  inactive_resource_access_tokens_delete_after_days: whole(
    'accounts',
    30,
    'Days until dead tokens of bots are deleted, with their bots',
    { acts: 'access tokens' },
  ),
  invisible_captcha_enabled: flag('spam', false, 'Hidden field against robots at registration'),
  lock_memberships_to_ldap: flag('accounts', false, 'Members come from LDAP alone'),
  lock_memberships_to_saml: flag('accounts', false, 'Members come from SAML alone'),
  login_recaptcha_protection_enabled: flag('spam', false, 'reCAPTCHA at sign-in'),
  make_profile_private: flag('accounts', true, 'People may make their profile private', { acts: 'profiles' }),
  max_login_attempts: whole('accounts', 10, 'Failed sign-ins that lock an account', { min: 1, acts: 'sign-in' }),
  max_personal_access_token_lifetime: whole('accounts', null, 'Longest life of access tokens in days; 365 unless set', {
    ...days,
    acts: 'new access tokens',
  }),
  max_ssh_key_lifetime: whole('accounts', null, 'Longest life of SSH keys in days', { ...days, acts: 'SSH keys' }),
  minimum_password_length: whole('accounts', 8, 'Shortest password', { min: 8, max: 128, ...passwords }),
  new_user_signups_cap: whole('accounts', null, 'Accounts after which registrations wait for approval', registration),
  seat_control: level('accounts', [0, 1, 2], 0, 'What happens when all seats are taken'),
  notify_on_unknown_sign_in: flag('mail', true, 'Mail after a sign-in from a new address', { acts: 'sign-in' }),
  password_authentication_enabled_for_git: flag('accounts', true, 'Passwords work for git over HTTP', {
    acts: 'git over HTTP',
  }),
  password_authentication_enabled_for_web: flag('accounts', true, 'Passwords work for the pages', { acts: 'sign-in' }),
  password_lowercase_required: flag('accounts', false, 'Passwords need a lower-case letter', passwords),
  password_number_required: flag('accounts', false, 'Passwords need a digit', passwords),
  password_symbol_required: flag('accounts', false, 'Passwords need a special character', passwords),
  password_uppercase_required: flag('accounts', false, 'Passwords need an upper-case letter', passwords),
  personal_access_token_prefix: text('accounts', tokenPrefixes.personal, 'Start of new personal access tokens', {
    max: 20,
    format: 'prefix',
    acts: 'new access tokens',
  }),
  instance_token_prefix: text('accounts', '', 'Start of all other new tokens', { max: 20, format: 'prefix' }),
  remember_me_enabled: flag('accounts', true, 'Sign-in offers to remember', { acts: 'sign-in' }),
  require_admin_approval_after_user_signup: flag(
    'accounts',
    true,
    'Registrations wait for an administrator',
    registration,
  ),
  require_admin_two_factor_authentication: flag('accounts', false, 'Administrators need a second factor', {
    acts: 'sign-in',
  }),
  require_email_verification_on_account_locked: flag('accounts', false, 'A code by mail unlocks an account'),
  require_personal_access_token_expiry: flag('accounts', true, 'New access tokens need an end', {
    acts: 'new access tokens',
  }),
  require_two_factor_authentication: flag('accounts', false, 'Everybody needs a second factor', {
    needs: ['two_factor_grace_period'],
    acts: 'sign-in',
  }),
  resource_access_token_notify_inherited: flag('mail', false, 'Inherited members hear of tokens that end'),
  lock_resource_access_token_notify_inherited: flag(
    'mail',
    false,
    'Groups cannot change resource_access_token_notify_inherited',
  ),
  ropc_without_client_credentials: flag('accounts', true, 'Password grant without a known application', {
    acts: 'tokens for passwords',
  }),
  rsa_key_restriction: keySizes('RSA', [1_024, 2_048, 3_072, 4_096], 0),
  service_access_tokens_expiration_enforced: flag('accounts', true, 'Tokens of service accounts need an end', {
    acts: 'access tokens',
  }),
  session_expire_delay: whole('accounts', 10_080, 'Minutes until an idle session ends', { min: 1, acts: 'sessions' }),
  sign_in_restrictions: map('accounts', {}, 'Further rules for signing in'),
  signup_enabled: flag('accounts', true, 'People register by themselves', registration),
  two_factor_grace_period: whole('accounts', 48, 'Hours until the second factor must be there', { acts: 'sign-in' }),
  unconfirmed_users_delete_after_days: whole('accounts', 7, 'Days until unconfirmed accounts are deleted', {
    min: 1,
    acts: 'removal',
  }),
  unique_ips_limit_enabled: flag('accounts', false, 'Bound the addresses that one account signs in from', {
    needs: ['unique_ips_limit_per_user', 'unique_ips_limit_time_window'],
  }),
  unique_ips_limit_per_user: whole('accounts', 10, 'Addresses that one account may sign in from', { min: 1 }),
  unique_ips_limit_time_window: whole('accounts', 3_600, 'Seconds that an address of a sign-in counts'),
  updating_name_disabled_for_users: flag('accounts', false, 'Only administrators change names', { acts: 'profiles' }),
  user_deactivation_emails_enabled: flag('mail', true, 'Mail to accounts that are deactivated', { acts: 'mail' }),
  user_default_external: flag('accounts', false, 'New accounts are external', newAccounts),
  user_default_internal_regex: text('accounts', null, 'Addresses whose accounts are not external', {
    format: 'regex',
    ...newAccounts,
  }),
  user_defaults_to_private_profile: flag('accounts', false, 'New accounts have a private profile', newAccounts),
  user_oauth_applications: flag('accounts', true, 'Everybody may register applications', {
    acts: 'registering applications',
  }),
  user_show_add_ssh_key_message: flag('web', true, 'Remind people without an SSH key'),
  git_rate_limit_users_allowlist: texts('spam', [], 'Usernames that may download any number of repositories', {
    format: 'names',
  }),
  git_rate_limit_users_alertlist: integers('spam', [], 'Users who hear of excessive downloads'),
  max_number_of_repository_downloads: whole('spam', 0, 'Repositories that one account downloads in a while', {
    max: 10_000,
  }),
  max_number_of_repository_downloads_within_time_period: whole(
    'spam',
    0,
    'Seconds in which downloaded repositories count',
    { max: 864_000 },
  ),
  auto_ban_user_on_excessive_projects_download: flag('spam', false, 'Ban accounts that download too many repositories'),
};
