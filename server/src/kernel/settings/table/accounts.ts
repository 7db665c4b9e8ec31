/** Settings of accounts: registration, sign-in, passwords, sessions, tokens, keys. */
import { tokenPrefixes } from '../../names.ts';
import { decimal, flag, integers, level, map, text, texts, whole, word } from '../row.ts';

const days = { min: 1, max: 400 };
/** Sizes that keys of a kind have; `-1` forbids the kind, 0 takes every size. */
const keySizes = (kind: string, sizes: readonly number[], fallback: number) =>
  level(
    'accounts',
    [0, ...sizes, -1],
    fallback,
    `Minimum length of ${kind} keys in bits; -1 forbids them, 0 allows any`,
    {
      acts: 'SSH keys',
    },
  );
const curves = [256, 384, 521];
const note = { max: 65_535 };
const access = { acts: 'access to projects' };
const newAccounts = { acts: 'new accounts' };
const passwords = { acts: 'new passwords' };
const registration = { acts: 'registration' };

export const accounts = {
  after_sign_out_path: text('accounts', null, 'Page after sign-out', {
    max: 2_048,
    acts: 'signing out',
  }),
  after_sign_up_text: text('accounts', null, 'Text shown after sign-up', { ...note, ...registration }),
  admin_mode: flag('accounts', false, 'Require administrators to re-authenticate for administrative tasks', {
    acts: 'sessions and tokens',
  }),
  allow_account_deletion: flag('accounts', true, 'Users can delete their own account', { acts: 'removal' }),
  allow_deploy_tokens_and_keys_with_external_authn: flag(
    'accounts',
    false,
    'Deploy tokens and deploy keys work with external authorization',
    access,
  ),
  allow_group_owners_to_manage_ldap: flag('accounts', true, 'Group owners can manage LDAP group links', {
    acts: 'LDAP group links',
  }),
  allow_top_level_group_owners_to_create_service_accounts: flag(
    'accounts',
    false,
    'Owners of top-level groups can create service accounts',
    { acts: 'service accounts' },
  ),
  authorized_keys_enabled: flag('accounts', true, 'Write to an authorized_keys file; Millrace serves SSH itself'),
  can_create_group: flag('accounts', true, 'New users can create top-level groups', newAccounts),
  deactivate_dormant_users: flag('accounts', false, 'Deactivate dormant users', {
    acts: 'deactivating accounts',
  }),
  deactivate_dormant_users_period: whole('accounts', 90, 'Days of inactivity before deactivation', {
    min: 90,
    acts: 'deactivating accounts',
  }),
  default_dark_syntax_highlighting_theme: whole('accounts', 2, 'Syntax highlighting theme of new users in dark mode', {
    min: 1,
  }),
  default_preferred_language: text('accounts', 'en', 'Default language', {
    max: 16,
    ...newAccounts,
  }),
  default_projects_limit: whole('accounts', 100_000, 'Default limit of personal projects', newAccounts),
  default_syntax_highlighting_theme: whole('accounts', 1, 'Syntax highlighting theme of new users', {
    min: 1,
    ...newAccounts,
  }),
  delay_user_account_self_deletion: flag('accounts', false, 'Delay the deletion of accounts by their users', {
    acts: 'removal',
  }),
  delete_unconfirmed_users: flag('accounts', false, 'Delete users with unconfirmed email addresses', {
    acts: 'removal',
  }),
  disable_admin_oauth_scopes: flag(
    'accounts',
    false,
    'Administrators cannot authorize OAuth applications with broad scopes',
    {
      acts: 'consent to applications',
    },
  ),
  disable_feed_token: flag('accounts', false, 'Disable feed tokens', { acts: 'feeds' }),
  disable_password_authentication_for_users_with_sso_identities: flag(
    'compatibility',
    false,
    'Disable passwords for users with a single sign-on identity; there is no other sign-in than with passwords',
  ),
  disable_personal_access_tokens: flag('accounts', false, 'Disable personal access tokens', {
    acts: 'access tokens',
  }),
  disabled_oauth_sign_in_sources: texts(
    'compatibility',
    [],
    'Disabled sign-in providers; nobody signs in through others',
  ),
  domain_allowlist: texts('accounts', [], 'Allowed email domains for sign-up; wildcards', registration),
  domain_denylist: texts('accounts', [], 'Denied email domains for sign-up; wildcards', registration),
  domain_denylist_enabled: flag('accounts', false, 'Enable domain_denylist', {
    needs: ['domain_denylist'],
    ...registration,
  }),
  dsa_key_restriction: keySizes('DSA', [1_024, 2_048, 3_072], -1),
  ecdsa_key_restriction: keySizes('ECDSA', curves, 0),
  ecdsa_sk_key_restriction: keySizes('ECDSA_SK', [256], 0),
  ed25519_key_restriction: keySizes('ED25519', [256], 0),
  ed25519_sk_key_restriction: keySizes('ED25519_SK', [256], 0),
  email_confirmation_setting: word('accounts', ['off', 'soft', 'hard'], 'off', 'Email confirmation', {
    acts: 'registration and sign-in',
  }),
  email_restrictions: text('accounts', null, 'Regular expression of email addresses that cannot sign up', {
    ...note,
    format: 'regex',
    ...registration,
  }),
  email_restrictions_enabled: flag('accounts', false, 'Enable email_restrictions', {
    needs: ['email_restrictions'],
    ...registration,
  }),
  enforce_email_subaddress_restrictions: flag(
    'accounts',
    false,
    'Refuse sign-up with email subaddresses (+)',
    registration,
  ),
  enforce_terms: flag('accounts', false, 'All users must accept the terms of service', {
    needs: ['terms'],
    acts: 'registration and sign-in',
  }),
  terms: text('accounts', null, 'Terms of service, in Markdown', { max: 1_000_000, ...registration }),
  external_auth_client_cert: text('accounts', null, 'Client certificate for the external authorization service', {
    ...note,
    ...access,
    needs: ['external_auth_client_key'],
  }),
  external_auth_client_key: text('accounts', null, 'Private key of the client certificate', {
    ...note,
    ...access,
    secret: 'masked',
  }),
  external_auth_client_key_pass: text('accounts', null, 'Passphrase of the private key', {
    ...access,
    secret: 'masked',
  }),
  external_authorization_service_enabled: flag('accounts', false, 'Enable external authorization', {
    ...access,
    needs: [
      'external_authorization_service_default_label',
      'external_authorization_service_timeout',
      'external_authorization_service_url',
    ],
  }),
  external_authorization_service_default_label: text(
    'accounts',
    null,
    'Default classification label of projects',
    access,
  ),
  external_authorization_service_timeout: decimal(
    'accounts',
    0.5,
    'Timeout of the external authorization service in seconds',
    { min: 0.001, max: 10, ...access },
  ),
  external_authorization_service_url: text('accounts', null, 'URL of the external authorization service', {
    ...access,
    format: 'url',
  }),
  failed_login_attempts_unlock_period_in_minutes: whole('accounts', 10, 'Minutes until a locked account is unlocked', {
    min: 1,
    acts: 'sign-in',
  }),
  git_two_factor_session_expiry: whole('accounts', 15, 'Minutes of a two-factor session for git over SSH', {
    min: 1,
    max: 10_080,
    acts: 'git over SSH',
  }),
  globally_allowed_ips: text('accounts', '', 'IP addresses that can always access groups', {
    ...note,
    format: 'addresses',
    acts: 'groups with ip_restriction_ranges',
  }),
  inactive_resource_access_tokens_delete_after_days: whole(
    'accounts',
    30,
    'Days until inactive project and group access tokens are deleted',
    { acts: 'access tokens' },
  ),
  invisible_captcha_enabled: flag('spam', false, 'Hidden field against bots at sign-up'),
  lock_memberships_to_ldap: flag('accounts', false, 'Manage memberships only by LDAP'),
  lock_memberships_to_saml: flag('accounts', false, 'Manage memberships only by SAML'),
  login_recaptcha_protection_enabled: flag('spam', false, 'Require reCAPTCHA at sign-in'),
  make_profile_private: flag('accounts', true, 'Users can make their profile private', { acts: 'profiles' }),
  max_login_attempts: whole('accounts', 10, 'Failed sign-ins that lock an account', { min: 1, acts: 'sign-in' }),
  max_personal_access_token_lifetime: whole(
    'accounts',
    null,
    'Maximum lifetime of access tokens in days; 365 by default',
    {
      ...days,
      acts: 'new access tokens',
    },
  ),
  max_ssh_key_lifetime: whole('accounts', null, 'Maximum lifetime of SSH keys in days', { ...days, acts: 'SSH keys' }),
  minimum_password_length: whole('accounts', 8, 'Minimum password length', { min: 8, max: 128, ...passwords }),
  new_user_signups_cap: whole('accounts', null, 'User cap: further sign-ups need approval', registration),
  seat_control: level('accounts', [0, 1, 2], 0, 'Seat control'),
  notify_on_unknown_sign_in: flag('mail', true, 'Notify users of sign-ins from unknown addresses', { acts: 'sign-in' }),
  password_authentication_enabled_for_git: flag('accounts', true, 'Allow passwords for git over HTTP', {
    acts: 'git over HTTP',
  }),
  password_authentication_enabled_for_web: flag('accounts', true, 'Allow passwords for the web interface', {
    acts: 'sign-in',
  }),
  password_lowercase_required: flag('accounts', false, 'Passwords require a lowercase letter', passwords),
  password_number_required: flag('accounts', false, 'Passwords require a number', passwords),
  password_symbol_required: flag('accounts', false, 'Passwords require a symbol', passwords),
  password_uppercase_required: flag('accounts', false, 'Passwords require an uppercase letter', passwords),
  personal_access_token_prefix: text('accounts', tokenPrefixes.personal, 'Prefix of personal access tokens', {
    max: 20,
    format: 'prefix',
    acts: 'new access tokens',
  }),
  instance_token_prefix: text(
    'accounts',
    '',
    'Prefix of new tokens before that of their kind, with a hyphen; not of runners, whose programs know theirs',
    { max: 20, format: 'prefix', acts: 'new tokens' },
  ),
  remember_me_enabled: flag('accounts', true, 'Allow users to stay signed in', { acts: 'sign-in' }),
  require_admin_approval_after_user_signup: flag(
    'accounts',
    true,
    'Require administrator approval for sign-ups',
    registration,
  ),
  require_admin_two_factor_authentication: flag(
    'accounts',
    false,
    'Require two-factor authentication for administrators',
    {
      acts: 'sign-in',
    },
  ),
  require_email_verification_on_account_locked: flag(
    'accounts',
    false,
    'Require email verification to unlock an account',
  ),
  require_personal_access_token_expiry: flag('accounts', true, 'Require an expiration date for access tokens', {
    acts: 'new access tokens',
  }),
  require_two_factor_authentication: flag('accounts', false, 'Require two-factor authentication for all users', {
    needs: ['two_factor_grace_period'],
    acts: 'sign-in',
  }),
  resource_access_token_notify_inherited: flag('mail', false, 'Notify inherited members about expiring access tokens', {
    acts: 'mail about access tokens',
  }),
  lock_resource_access_token_notify_inherited: flag(
    'mail',
    false,
    'Groups cannot change resource_access_token_notify_inherited',
  ),
  ropc_without_client_credentials: flag('accounts', true, 'Allow the OAuth password grant without client credentials', {
    acts: 'tokens for passwords',
  }),
  rsa_key_restriction: keySizes('RSA', [1_024, 2_048, 3_072, 4_096], 0),
  service_access_tokens_expiration_enforced: flag(
    'accounts',
    true,
    'Require an expiration date for tokens of service accounts',
    {
      acts: 'access tokens',
    },
  ),
  session_expire_delay: whole('accounts', 10_080, 'Minutes of inactivity before a session expires', {
    min: 1,
    acts: 'sessions',
  }),
  sign_in_restrictions: map('accounts', {}, 'Further sign-in restrictions'),
  signup_enabled: flag('accounts', true, 'Enable sign-up', registration),
  two_factor_grace_period: whole('accounts', 48, 'Grace period for two-factor authentication in hours', {
    acts: 'sign-in',
  }),
  unconfirmed_users_delete_after_days: whole('accounts', 7, 'Days until unconfirmed users are deleted', {
    min: 1,
    acts: 'removal',
  }),
  unique_ips_limit_enabled: flag('accounts', false, 'Limit sign-ins from multiple IP addresses', {
    needs: ['unique_ips_limit_per_user', 'unique_ips_limit_time_window'],
    acts: 'requests of people',
  }),
  unique_ips_limit_per_user: whole('accounts', 10, 'IP addresses per user', { min: 1, acts: 'requests of people' }),
  unique_ips_limit_time_window: whole('accounts', 3_600, 'Seconds for which an IP address is counted', {
    acts: 'requests of people',
  }),
  updating_name_disabled_for_users: flag('accounts', false, 'Users cannot change their full name', {
    acts: 'profiles',
  }),
  user_deactivation_emails_enabled: flag('mail', true, 'Send an email when an account is deactivated', {
    acts: 'mail',
  }),
  user_default_external: flag('accounts', false, 'New users are external', newAccounts),
  user_default_internal_regex: text('accounts', null, 'Regular expression of email addresses of internal users', {
    format: 'regex',
    ...newAccounts,
  }),
  user_defaults_to_private_profile: flag('accounts', false, 'New users have a private profile', newAccounts),
  user_oauth_applications: flag('accounts', true, 'Users can register OAuth applications', {
    acts: 'registering applications',
  }),
  user_show_add_ssh_key_message: flag('web', true, 'Remind users without an SSH key', {
    acts: 'clone addresses',
  }),
  git_rate_limit_users_allowlist: texts('spam', [], 'Users excluded from the download limit', {
    format: 'names',
    acts: 'fetches and archives of projects',
  }),
  git_rate_limit_users_alertlist: integers('spam', [], 'Users notified about excessive downloads', {
    acts: 'mails about excessive downloads; administrators where it is empty',
  }),
  max_number_of_repository_downloads: whole('spam', 0, 'Repositories that a user can download in the time period', {
    max: 10_000,
    acts: 'fetches and archives of projects',
  }),
  max_number_of_repository_downloads_within_time_period: whole(
    'spam',
    0,
    'Time period of the download limit in seconds',
    { max: 864_000, acts: 'fetches and archives of projects' },
  ),
  auto_ban_user_on_excessive_projects_download: flag('spam', false, 'Ban users who exceed the download limit', {
    acts: 'users who exceed the download limit; administrators are told only',
  }),
};
