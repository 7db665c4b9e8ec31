/** Settings of registries, and of import and export. */
import { flag, text, texts, whole } from '../row.ts';

const bytes = { max: Number.MAX_SAFE_INTEGER };
const one = { min: 1 };
const outbound = { acts: 'addresses of web hooks, when they are entered and when they are called' };

export const packages = {
  container_expiration_policies_enable_historic_entries: flag(
    'packages',
    false,
    'Enable cleanup policies for existing projects',
  ),
  container_registry_cleanup_tags_service_max_list_size: whole('packages', 200, 'Maximum tags deleted per cleanup run'),
  container_registry_delete_tags_service_timeout: whole('packages', 250, 'Timeout of tag deletion in seconds'),
  container_registry_expiration_policies_caching: flag('packages', true, 'Cache tags during cleanup'),
  container_registry_expiration_policies_worker_capacity: whole('packages', 4, 'Concurrent registry cleanups'),
  container_registry_token_expire_delay: whole('packages', 5, 'Registry token lifetime in minutes', one),
  dependency_proxy_ttl_group_policy_worker_capacity: whole('packages', 2, 'Concurrent dependency proxy cleanups'),
  maven_package_requests_forwarding: flag('packages', true, 'Forward Maven package requests to the public registry'),
  lock_maven_package_requests_forwarding: flag(
    'packages',
    false,
    'Groups cannot change maven_package_requests_forwarding',
  ),
  npm_package_requests_forwarding: flag('packages', true, 'Forward npm package requests to the public registry'),
  lock_npm_package_requests_forwarding: flag('packages', false, 'Groups cannot change npm_package_requests_forwarding'),
  pypi_package_requests_forwarding: flag('packages', true, 'Forward PyPI package requests to the public registry'),
  lock_pypi_package_requests_forwarding: flag(
    'packages',
    false,
    'Groups cannot change pypi_package_requests_forwarding',
  ),
  nuget_skip_metadata_url_validation: flag('packages', false, 'Skip URL validation of NuGet metadata'),
  package_registry_allow_anyone_to_pull_option: flag('packages', true, 'Projects can allow anyone to pull packages', {
    acts: 'packages of projects with `package_registry_access_level` `public`',
  }),
  package_registry_cleanup_policies_worker_capacity: whole('packages', 2, 'Concurrent package cleanups'),

  allow_bypass_placeholder_confirmation: flag(
    'imports',
    false,
    'Administrators can reassign imported contributions without confirmation',
  ),
  allow_contribution_mapping_to_admins: flag(
    'imports',
    false,
    'Allow mapping imported contributions to administrators',
  ),
  bulk_import_concurrent_pipeline_batch_limit: whole(
    'compatibility',
    25,
    'Concurrent batches of a direct transfer; they come one after the other',
    one,
  ),
  bulk_import_enabled: flag('imports', false, 'Enable group migration by direct transfer', {
    acts: 'transfers of groups and projects from another instance',
  }),
  bulk_import_max_download_file_size: whole('imports', 5_120, 'Maximum download size of direct transfers in MB', {
    ...bytes,
    acts: 'relations of projects that are transferred',
  }),
  concurrent_bitbucket_import_jobs_limit: whole(
    'compatibility',
    100,
    'Concurrent jobs of a Bitbucket Cloud import; an import is one task',
    one,
  ),
  concurrent_bitbucket_server_import_jobs_limit: whole(
    'compatibility',
    100,
    'Concurrent jobs of a Bitbucket Server import; an import is one task',
    one,
  ),
  concurrent_github_import_jobs_limit: whole(
    'compatibility',
    1_000,
    'Concurrent jobs of a GitHub import; an import is one task',
    one,
  ),
  concurrent_relation_batch_export_limit: whole(
    'compatibility',
    8,
    'Concurrent batches of relation exports; they are written one after the other',
    one,
  ),
  decompress_archive_file_timeout: whole(
    'imports',
    210,
    'Timeout of decompressing an archive in seconds; 0 for unlimited',
    { acts: 'imports of archives of projects and groups' },
  ),
  import_sources: texts('imports', ['git', 'gitlab_project', 'github', 'gitea', 'bitbucket_server'], 'Import sources', {
    acts: 'imports of projects: `git` by the address of a repository, `gitlab_project` from archives, `github`, `gitea` and `bitbucket_server` from these products',
  }),
  max_decompressed_archive_size: whole(
    'imports',
    25_600,
    'Maximum decompressed size of imports in MB; 0 for unlimited',
    {
      acts: 'imports of projects',
    },
  ),
  max_export_size: whole('imports', 0, 'Maximum export size in MB; 0 for unlimited', { acts: 'exports of projects' }),
  max_import_remote_file_size: whole('imports', 10_240, 'Maximum remote file size of imports in MB; 0 for unlimited', {
    ...bytes,
    acts: 'repositories that are imported by their address',
  }),
  max_import_size: whole('imports', 0, 'Maximum import size in MB; 0 for unlimited', { acts: 'imports of projects' }),
  project_export_enabled: flag('imports', true, 'Enable project export', { acts: 'exports of projects' }),
  relation_export_batch_size: whole('imports', 50, 'Records per batch of a relation export', {
    ...one,
    acts: 'relation exports',
  }),
  silent_admin_exports_enabled: flag('imports', false, 'Administrator exports send no notifications'),

  allow_local_requests_from_system_hooks: flag(
    'outbound',
    true,
    'Allow requests to the local network from system hooks',
    {
      acts: 'calls of system hooks',
    },
  ),
  allow_local_requests_from_web_hooks_and_services: flag(
    'outbound',
    false,
    'Allow requests to the local network from webhooks and integrations',
    outbound,
  ),
  deny_all_requests_except_allowed: flag('outbound', false, 'Block all requests except to allowed addresses', outbound),
  dns_rebinding_protection_enabled: flag('outbound', true, 'Enable DNS rebinding protection', outbound),
  outbound_local_requests_whitelist: texts(
    'outbound',
    [],
    'Local IP addresses and domains that hooks and integrations can access',
    outbound,
  ),
  max_http_decompressed_size: whole(
    'compatibility',
    100,
    'Maximum decompressed size of HTTP responses in MB; Millrace requests them uncompressed',
  ),
  max_http_response_size_limit: whole('outbound', 100, 'Maximum size of HTTP responses in MB; 0 for unlimited', {
    acts: 'requests to other servers',
  }),
  max_http_response_json_depth: whole(
    'compatibility',
    100,
    'Maximum depth of JSON responses; Millrace reads them without recursion',
  ),
  tracker_connect_additional_audience_url: text('outbound', null, 'Additional audience URL of Jira Connect tokens', {
    format: 'url',
  }),
  tracker_connect_application_key: text('outbound', null, 'Jira Connect application key'),
  tracker_connect_proxy_url: text('outbound', null, 'Jira Connect proxy URL', {
    format: 'url',
  }),
  tracker_connect_public_key_storage_enabled: flag('outbound', false, 'Enable Jira Connect public key storage'),
  slack_app_enabled: flag('outbound', false, 'Enable the Slack app', {
    needs: ['slack_app_id', 'slack_app_secret', 'slack_app_signing_secret', 'slack_app_verification_token'],
  }),
  slack_app_id: text('outbound', null, 'Client ID of the Slack app'),
  slack_app_secret: text('outbound', null, 'Client secret of the Slack app', { secret: 'masked' }),
  slack_app_signing_secret: text('outbound', null, 'Signing secret of the Slack app', { secret: 'masked' }),
  slack_app_verification_token: text('outbound', null, 'Verification token of the Slack app', { secret: 'masked' }),
  eks_access_key_id: text('compatibility', null, 'AWS access key ID', { max: 128 }),
  eks_account_id: text('compatibility', null, 'AWS account ID', { max: 12 }),
  eks_integration_enabled: flag('compatibility', false, 'Enable the Amazon EKS integration', {
    needs: ['eks_account_id'],
  }),
  eks_secret_access_key: text('compatibility', null, 'AWS secret access key', { secret: 'hidden' }),
};
