/** Settings of what people write and see: Markdown, diagrams, attachments, mail, pages, and protection against spam. */
import { decimal, flag, map, text, texts, whole, word } from '../row.ts';

const bytes = { max: Number.MAX_SAFE_INTEGER };
const long = { max: 65_535 };
const url = { format: 'url' } as const;
const shown = { secret: 'shown', max: 4_096 } as const;
const masked = { secret: 'masked', max: 4_096 } as const;

export const content = {
  asciidoc_max_includes: whole('content', 32, 'Files that an AsciiDoc document includes', { max: 64 }),
  asset_proxy_allowlist: texts('content', [], 'Hosts whose pictures are not fetched through the proxy; wildcards', {
    acts: 'images of documents',
  }),
  asset_proxy_enabled: flag('content', false, 'Fetch pictures through a proxy', {
    needs: ['asset_proxy_url'],
    acts: 'images of documents',
  }),
  asset_proxy_secret_key: text('content', null, 'Secret shared with the proxy of pictures', {
    max: 4_096,
    secret: 'hidden',
    acts: 'images of documents',
  }),
  asset_proxy_url: text('content', null, 'Address of the proxy of pictures', {
    ...url,
    acts: 'images of documents',
  }),
  avatarservice_enabled: flag('content', true, 'Pictures of people by their address'),
  diagramrenderer_enabled: flag('content', false, 'Diagrams by the renderer of diagramrenderer_url', {
    needs: ['diagramrenderer_url'],
  }),
  diagramrenderer_formats: map('content', {}, 'Further formats of that renderer, each true or false', {
    format: 'switches',
  }),
  diagramrenderer_url: text('content', null, 'Address of the renderer of many kinds of diagrams', url),
  diagramservice_enabled: flag('content', true, 'Editor of diagrams', { needs: ['diagramservice_url'] }),
  diagramservice_url: text('content', 'https://embed.diagrams.net', 'Address of the editor of diagrams', {
    ...url,
    nullable: true,
  }),
  iframe_rendering_allowlist: texts('content', [], 'Hosts of frames in Markdown'),
  iframe_rendering_enabled: flag('content', false, 'Frames in Markdown'),
  local_markdown_version: whole('content', 0, 'Raise it to render all Markdown again'),
  math_rendering_limits_enabled: flag('content', true, 'Limit formulas; new top-level groups start with it', {
    acts: 'documents',
  }),
  lock_math_rendering_limits_enabled: flag('content', false, 'Groups cannot change math_rendering_limits_enabled', {
    acts: 'documents',
  }),
  max_attachment_size: whole('content', 100, 'Megabytes of an attachment', { min: 1, acts: 'uploads' }),
  snippet_size_limit: whole('content', 52_428_800, 'Bytes of a snippet', { ...bytes, min: 1, acts: 'snippets' }),
  umlrenderer_enabled: flag('content', false, 'UML diagrams by the renderer of umlrenderer_url', {
    needs: ['umlrenderer_url'],
  }),
  umlrenderer_url: text('content', null, 'Address of the renderer of UML diagrams', url),
  wiki_asciidoc_allow_uri_includes: flag('content', false, 'AsciiDoc in wikis includes addresses'),
  wiki_page_max_content_bytes: whole('content', 5_242_880, 'Bytes of a wiki page', {
    ...bytes,
    min: 1_024,
    acts: 'wikis',
  }),

  abuse_notification_email: text('mail', null, 'Address for reports of abuse', { format: 'email' }),
  deactivation_email_additional_text: text('mail', null, 'End of the mail about a deactivation', {
    max: 1_000,
    acts: 'mail',
  }),
  email_additional_text: text('mail', null, 'End of every mail', { max: 10_000, acts: 'mail' }),
  email_author_in_body: flag('mail', false, 'Name the author in the text of mails'),
  html_emails_enabled: flag('mail', true, 'Mails with HTML', { acts: 'mail' }),
  mailgun_events_enabled: flag('mail', false, 'Take events of the Mailgun service', { needs: ['mailgun_signing_key'] }),
  mailgun_signing_key: text('mail', null, 'Key of events of the Mailgun service', masked),

  enable_artifact_external_redirect_warning_page: flag('pages', true, 'Warn before pages of artifacts'),
  force_pages_access_control: flag('pages', false, 'Pages for members alone'),
  lets_encrypt_notification_email: text('pages', null, 'Address for notes about certificates', { format: 'email' }),
  lets_encrypt_terms_of_service_accepted: flag('pages', false, 'The terms of the certificate service are accepted'),
  max_pages_custom_domains_per_project: whole('pages', 0, 'Domains of one project; 0 for any'),
  max_pages_size: whole('pages', 100, 'Megabytes of one site; 0 for any'),
  pages_domain_verification_enabled: flag('pages', true, 'Domains must be proved'),
  pages_extra_deployments_default_expiry_seconds: whole('pages', 86_400, 'Seconds of life of parallel sites'),
  pages_unique_domain_default_enabled: flag('pages', true, 'New sites have a domain of their own'),

  help_page_documentation_base_url: text('web', null, 'Start of links to documentation', url),
  help_page_hide_commercial_content: flag('compatibility', false, 'No marketing in the help; there is none'),
  help_page_support_url: text('web', null, 'Address of support', url),
  help_page_text: text('web', null, 'Text of the help page', long),
  hide_third_party_offers: flag('compatibility', false, 'No offers of others; there are none'),
  home_page_url: text('web', null, 'Where visitors land who are not signed in', { ...url, acts: 'the start page' }),
  performance_bar_allowed_group_id: whole('compatibility', null, 'Group that sees timings of pages', bytes),
  performance_bar_allowed_group_path: text('compatibility', null, 'Path of the group that sees timings of pages'),
  performance_bar_enabled: flag('compatibility', false, 'Show timings', {
    deprecated: 'performance_bar_allowed_group_path',
  }),
  sign_in_text: text('web', null, 'Text beside the sign-in form', long),
  terminal_max_session_time: whole('ci', 0, 'Seconds of an interactive terminal in a job; 0 for no limit', {
    acts: 'terminals of running jobs',
  }),
  vscode_extension_marketplace: map('web', {}, 'Where the editor in pages finds extensions'),
  vscode_extension_marketplace_enabled: flag('web', false, 'The editor in pages uses extensions'),
  web_ide_oauth_application_id: whole('web', null, 'Application of the editor in pages', bytes),
  whats_new_variant: word('compatibility', ['all_tiers', 'current_tier', 'disabled'], 'all_tiers', 'News in the pages'),
  gitpod_enabled: flag('web', false, 'Offer development environments', { needs: ['gitpod_url'] }),
  gitpod_url: text('web', 'https://gitpod.io/', 'Address of development environments', { ...url, nullable: true }),

  allow_possible_spam: flag('spam', false, 'Let through what may be spam'),
  recaptcha_enabled: flag('spam', false, 'reCAPTCHA at registration', {
    needs: ['recaptcha_private_key', 'recaptcha_site_key'],
  }),
  recaptcha_private_key: text('spam', null, 'Private key of reCAPTCHA', shown),
  recaptcha_site_key: text('spam', null, 'Public key of reCAPTCHA'),
  spam_check_api_key: text('spam', null, 'Key for the service asked about spam', shown),
  spam_check_endpoint_enabled: flag('spam', false, 'Ask a service about spam', { needs: ['spam_check_endpoint_url'] }),
  spam_check_endpoint_url: text('spam', null, 'Address of the service asked about spam', { max: 255 }),
  spamfilter_api_key: text('spam', null, 'Key for the spam filter', shown),
  spamfilter_enabled: flag('spam', false, 'Filter spam', { needs: ['spamfilter_api_key'] }),

  disabled_direct_code_suggestions: flag('compatibility', false, 'No direct code suggestions'),
  duo_features_enabled: flag('compatibility', true, 'Assistant'),
  lock_duo_features_enabled: flag('compatibility', false, 'Groups cannot change duo_features_enabled'),
  instance_level_ai_beta_features_enabled: flag('compatibility', false, 'Unfinished parts of the assistant'),
  model_prompt_cache_enabled: flag('compatibility', true, 'The assistant keeps prompts'),
  error_tracking_enabled: flag('compatibility', false, 'Collect errors of applications'),
  error_tracking_api_url: text('compatibility', null, 'Where errors of applications are collected', url),
  product_analytics_enabled: flag('compatibility', false, 'Figures of the use of applications'),
  product_analytics_data_collector_host: text('compatibility', null, 'Where figures of applications are collected'),
  cube_api_base_url: text('compatibility', null, 'Where figures of applications are read', { max: 512 }),
  polling_interval_multiplier: decimal('web', 1, 'Factor of the pauses of polling pages; 0 stops it', {
    max: 100,
    asText: true,
  }),
  security_approval_policies_limit: whole('scanning', 5, 'Active approval policies of a policy project', { max: 20 }),
  security_policy_global_group_approvers_enabled: flag('scanning', true, 'Look for approving groups everywhere'),
  scan_execution_policies_action_limit: whole('scanning', 0, 'Actions of a scan policy; 0 for any', { max: 20 }),
  scan_execution_policies_schedule_limit: whole('scanning', 0, 'Schedules of a scan policy; 0 for any', { max: 20 }),
  secret_push_protection_available: flag('scanning', false, 'Projects may refuse pushes with secrets', {
    acts: 'pushes',
  }),
  secret_detection_token_revocation_enabled: flag('scanning', false, 'Have found tokens revoked'),
  secret_detection_token_revocation_url: text('scanning', null, 'Where found tokens are revoked', url),
  secret_detection_token_revocation_token: text('scanning', null, 'Token for revoking found tokens', masked),
  secret_detection_revocation_token_types_url: text(
    'scanning',
    null,
    'Where kinds of tokens that can be revoked are listed',
    url,
  ),
  max_number_of_vulnerabilities_per_project: whole('scanning', null, 'Findings of one project', { min: 1 }),
  security_mr_report_cache_lifetime_minutes: whole('scanning', 10, 'Minutes that reports of merge requests are kept'),
};
