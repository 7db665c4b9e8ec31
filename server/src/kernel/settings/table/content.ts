/** Settings of what people write and see: Markdown, diagrams, attachments, mail, pages, and protection against spam. */
import { decimal, flag, map, text, texts, whole, word } from '../row.ts';

const bytes = { max: Number.MAX_SAFE_INTEGER };
const long = { max: 65_535 };
const url = { format: 'url' } as const;
const shown = { secret: 'shown', max: 4_096 } as const;
const masked = { secret: 'masked', max: 4_096 } as const;

export const content = {
  asciidoc_max_includes: whole(
    'compatibility',
    32,
    'Maximum includes of an AsciiDoc document; those are shown as text',
    {
      max: 64,
    },
  ),
  asset_proxy_allowlist: texts('content', [], 'Hosts whose images are not proxied; wildcards', {
    acts: 'images of documents',
  }),
  asset_proxy_enabled: flag('content', false, 'Enable the asset proxy', {
    needs: ['asset_proxy_url'],
    acts: 'images of documents',
  }),
  asset_proxy_secret_key: text('content', null, 'Secret shared with the asset proxy', {
    max: 4_096,
    secret: 'hidden',
    acts: 'images of documents',
  }),
  asset_proxy_url: text('content', null, 'URL of the asset proxy', {
    ...url,
    acts: 'images of documents',
  }),
  avatarservice_enabled: flag('content', true, 'Look up avatars by email address'),
  diagramrenderer_enabled: flag('content', false, 'Enable Kroki diagrams', {
    needs: ['diagramrenderer_url'],
    acts: 'Markdown',
  }),
  diagramrenderer_formats: map('content', {}, 'Additional Kroki formats, each true or false', {
    format: 'switches',
    acts: 'Markdown',
  }),
  diagramrenderer_url: text('content', null, 'Kroki URL', { ...url, acts: 'Markdown' }),
  diagramservice_enabled: flag('content', true, 'Enable the diagrams.net editor', { needs: ['diagramservice_url'] }),
  diagramservice_url: text('content', 'https://embed.diagrams.net', 'URL of the diagrams.net editor', {
    ...url,
    nullable: true,
  }),
  iframe_rendering_allowlist: texts('content', [], 'Allowed hosts of iframes in Markdown'),
  iframe_rendering_enabled: flag('content', false, 'Render iframes in Markdown'),
  local_markdown_version: whole(
    'compatibility',
    0,
    'Local Markdown version; Markdown is rendered when it is read, not stored',
  ),
  math_rendering_limits_enabled: flag('content', true, 'Limit math rendering; default of new top-level groups', {
    acts: 'documents',
  }),
  lock_math_rendering_limits_enabled: flag('content', false, 'Groups cannot change math_rendering_limits_enabled', {
    acts: 'documents',
  }),
  max_attachment_size: whole('content', 100, 'Maximum attachment size in MB', { min: 1, acts: 'uploads' }),
  snippet_size_limit: whole('content', 52_428_800, 'Maximum snippet size in bytes', {
    ...bytes,
    min: 1,
    acts: 'snippets',
  }),
  umlrenderer_enabled: flag('content', false, 'Enable PlantUML diagrams', {
    needs: ['umlrenderer_url'],
    acts: 'Markdown',
  }),
  umlrenderer_url: text('content', null, 'PlantUML URL', { ...url, acts: 'Markdown' }),
  wiki_asciidoc_allow_uri_includes: flag(
    'compatibility',
    false,
    'Allow URI includes in AsciiDoc wiki pages; those are shown as text',
  ),
  wiki_page_max_content_bytes: whole('content', 5_242_880, 'Maximum wiki page size in bytes', {
    ...bytes,
    min: 1_024,
    acts: 'wikis',
  }),

  abuse_notification_email: text('compatibility', null, 'Email address for abuse reports; there are none', {
    format: 'email',
  }),
  deactivation_email_additional_text: text('mail', null, 'Additional text of deactivation emails', {
    max: 1_000,
    acts: 'mail',
  }),
  email_additional_text: text('mail', null, 'Additional text of all emails', { max: 10_000, acts: 'mail' }),
  email_author_in_body: flag('mail', false, 'Include the author name in the email body', {
    acts: 'mails of new issues, merge requests and epics, and of comments',
  }),
  html_emails_enabled: flag('mail', true, 'Send HTML emails', { acts: 'mail' }),
  mailgun_events_enabled: flag('mail', false, 'Enable Mailgun events', { needs: ['mailgun_signing_key'] }),
  mailgun_signing_key: text('mail', null, 'Mailgun signing key', masked),

  enable_artifact_external_redirect_warning_page: flag('pages', true, 'Warn before opening pages of artifacts'),
  force_pages_access_control: flag('pages', false, 'Disable public access to Pages sites'),
  lets_encrypt_notification_email: text('pages', null, "Email address for Let's Encrypt notifications", {
    format: 'email',
  }),
  lets_encrypt_terms_of_service_accepted: flag('pages', false, "Let's Encrypt terms of service accepted"),
  max_pages_custom_domains_per_project: whole('pages', 0, 'Maximum custom domains per project; 0 for unlimited'),
  max_pages_size: whole('pages', 100, 'Maximum size of a Pages site in MB; 0 for unlimited'),
  pages_domain_verification_enabled: flag('pages', true, 'Require verification of Pages domains'),
  pages_extra_deployments_default_expiry_seconds: whole(
    'pages',
    86_400,
    'Default expiration of parallel Pages deployments in seconds',
  ),
  pages_unique_domain_default_enabled: flag('pages', true, 'New Pages sites use a unique domain'),

  help_page_documentation_base_url: text('web', null, 'Documentation base URL of the help page', {
    ...url,
    acts: 'the help page',
  }),
  help_page_hide_commercial_content: flag(
    'compatibility',
    false,
    'Hide marketing content of the help page; there is none',
  ),
  help_page_support_url: text('web', null, 'Support URL of the help page', { ...url, acts: 'the help page' }),
  help_page_text: text('web', null, 'Text of the help page', { ...long, acts: 'the help page' }),
  hide_third_party_offers: flag('compatibility', false, 'Hide third-party offers; there are none'),
  home_page_url: text('web', null, 'Home page URL for visitors who are not signed in', {
    ...url,
    acts: 'the start page',
  }),
  performance_bar_allowed_group_id: whole('compatibility', null, 'Group that can see the performance bar', bytes),
  performance_bar_allowed_group_path: text('compatibility', null, 'Path of the group that can see the performance bar'),
  performance_bar_enabled: flag('compatibility', false, 'Enable the performance bar', {
    deprecated: 'performance_bar_allowed_group_path',
  }),
  sign_in_text: text('web', null, 'Text of the sign-in page', { ...long, acts: 'sign-in' }),
  terminal_max_session_time: whole('ci', 0, 'Maximum session time of web terminals in seconds; 0 for unlimited', {
    acts: 'terminals of running jobs',
  }),
  vscode_extension_marketplace: map('web', {}, 'Extension marketplace of the web editor'),
  vscode_extension_marketplace_enabled: flag('web', false, 'Enable the extension marketplace'),
  web_ide_oauth_application_id: whole('web', null, 'OAuth application of the web editor', bytes),
  whats_new_variant: word('compatibility', ['all_tiers', 'current_tier', 'disabled'], 'all_tiers', "What's new"),
  gitpod_enabled: flag('web', false, 'Enable Gitpod', { needs: ['gitpod_url'] }),
  gitpod_url: text('web', 'https://gitpod.io/', 'Gitpod URL', { ...url, nullable: true }),

  allow_possible_spam: flag('spam', false, 'Allow possible spam'),
  recaptcha_enabled: flag('spam', false, 'Enable reCAPTCHA at sign-up', {
    needs: ['recaptcha_private_key', 'recaptcha_site_key'],
  }),
  recaptcha_private_key: text('spam', null, 'reCAPTCHA private key', shown),
  recaptcha_site_key: text('spam', null, 'reCAPTCHA site key'),
  spam_check_api_key: text('spam', null, 'API key of the spam check service', shown),
  spam_check_endpoint_enabled: flag('spam', false, 'Enable the spam check service', {
    needs: ['spam_check_endpoint_url'],
  }),
  spam_check_endpoint_url: text('spam', null, 'URL of the spam check service', { max: 255 }),
  spamfilter_api_key: text('spam', null, 'API key of the spam filter', shown),
  spamfilter_enabled: flag('spam', false, 'Enable the spam filter', { needs: ['spamfilter_api_key'] }),

  disabled_direct_code_suggestions: flag('compatibility', false, 'Disable direct code suggestions'),
  duo_features_enabled: flag('compatibility', true, 'Enable AI features'),
  lock_duo_features_enabled: flag('compatibility', false, 'Groups cannot change duo_features_enabled'),
  instance_level_ai_beta_features_enabled: flag('compatibility', false, 'Enable AI beta features'),
  model_prompt_cache_enabled: flag('compatibility', true, 'Enable prompt caching'),
  error_tracking_enabled: flag('compatibility', false, 'Enable error tracking'),
  error_tracking_api_url: text('compatibility', null, 'Error tracking API URL', url),
  product_analytics_enabled: flag('compatibility', false, 'Enable product analytics'),
  product_analytics_data_collector_host: text('compatibility', null, 'Product analytics collector host'),
  cube_api_base_url: text('compatibility', null, 'Product analytics API URL', { max: 512 }),
  polling_interval_multiplier: decimal('web', 1, 'Polling interval multiplier; 0 disables polling', {
    max: 100,
    acts: 'pages',
    asText: true,
  }),
  security_approval_policies_limit: whole('scanning', 5, 'Maximum active approval policies of a policy project', {
    max: 20,
  }),
  security_policy_global_group_approvers_enabled: flag('scanning', true, 'Look up approver groups globally'),
  scan_execution_policies_action_limit: whole(
    'scanning',
    0,
    'Maximum actions of a scan execution policy; 0 for unlimited',
    { max: 20 },
  ),
  scan_execution_policies_schedule_limit: whole(
    'scanning',
    0,
    'Maximum schedules of a scan execution policy; 0 for unlimited',
    { max: 20 },
  ),
  secret_push_protection_available: flag('scanning', false, 'Projects can enable secret push protection', {
    acts: 'pushes',
  }),
  secret_detection_token_revocation_enabled: flag('scanning', false, 'Enable secret detection token revocation'),
  secret_detection_token_revocation_url: text('scanning', null, 'URL of the token revocation service', url),
  secret_detection_token_revocation_token: text('scanning', null, 'Token of the token revocation service', masked),
  secret_detection_revocation_token_types_url: text('scanning', null, 'URL that lists revocable token types', url),
  max_number_of_vulnerabilities_per_project: whole('scanning', null, 'Maximum vulnerabilities per project', {
    min: 1,
    acts: 'reports of scanners and new vulnerabilities',
  }),
  security_mr_report_cache_lifetime_minutes: whole(
    'scanning',
    10,
    'Minutes that security reports of merge requests are cached',
  ),
};
