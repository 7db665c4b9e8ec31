/** Settings of registries, and of import and export. */
import { flag, text, texts, whole } from '../row.ts';

const bytes = { max: Number.MAX_SAFE_INTEGER };
const one = { min: 1 };
const outbound = { acts: 'addresses of web hooks, when they are entered and when they are called' };

export const packages = {
  container_expiration_policies_enable_historic_entries: flag('packages', false, 'Clean up old projects too'),
  container_registry_cleanup_tags_service_max_list_size: whole('packages', 200, 'Tags deleted in one run'),
  container_registry_delete_tags_service_timeout: whole('packages', 250, 'Seconds of one deletion of tags'),
  container_registry_expiration_policies_caching: flag('packages', true, 'Remember tags between clean-ups'),
  container_registry_expiration_policies_worker_capacity: whole('packages', 4, 'Clean-ups at the same time'),
  container_registry_token_expire_delay: whole('packages', 5, 'Minutes of life of registry tokens', one),
  dependency_proxy_ttl_group_policy_worker_capacity: whole(
    'packages',
    2,
    'Clean-ups of proxied images at the same time',
  ),
  maven_package_requests_forwarding: flag('packages', true, 'Ask the public registry for missing Maven packages'),
  lock_maven_package_requests_forwarding: flag(
    'packages',
    false,
    'Groups cannot change maven_package_requests_forwarding',
  ),
  npm_package_requests_forwarding: flag('packages', true, 'Ask the public registry for missing npm packages'),
  lock_npm_package_requests_forwarding: flag('packages', false, 'Groups cannot change npm_package_requests_forwarding'),
  pypi_package_requests_forwarding: flag('packages', true, 'Ask the public registry for missing PyPI packages'),
  lock_pypi_package_requests_forwarding: flag(
    'packages',
    false,
    'Groups cannot change pypi_package_requests_forwarding',
  ),
  nuget_skip_metadata_url_validation: flag('packages', false, 'Take NuGet packages with odd addresses'),
  package_registry_allow_anyone_to_pull_option: flag('packages', true, 'Projects may let anybody pull packages'),
  package_registry_cleanup_policies_worker_capacity: whole('packages', 2, 'Clean-ups of packages at the same time'),

  allow_bypass_placeholder_confirmation: flag('imports', false, 'Administrators assign imported work without asking'),
  allow_contribution_mapping_to_admins: flag('imports', false, 'Imported work may go to administrators'),
  bulk_import_concurrent_pipeline_batch_limit: whole('imports', 25, 'Batches of a transfer at the same time', one),
  bulk_import_enabled: flag('imports', false, 'Transfer groups from another instance', {
    acts: 'transfers of groups and projects from another instance',
  }),
  bulk_import_max_download_file_size: whole('imports', 5_120, 'Megabytes of one file of a transfer', {
    ...bytes,
    acts: 'relations of projects that are transferred',
  }),
  concurrent_bitbucket_import_jobs_limit: whole('imports', 100, 'Work of one import from Bitbucket Cloud', one),
  concurrent_bitbucket_server_import_jobs_limit: whole('imports', 100, 'Work of one import from Bitbucket Server', one),
  concurrent_github_import_jobs_limit: whole('imports', 1_000, 'Work of one import from GitHub', one),
  concurrent_relation_batch_export_limit: whole('imports', 8, 'Batches of exports at the same time', one),
  decompress_archive_file_timeout: whole('imports', 210, 'Seconds to unpack an archive; 0 for any'),
  import_sources: texts(
    'imports',
    ['git', 'gitlab_project', 'github', 'gitea', 'bitbucket_server'],
    'Where projects may be imported from',
    {
      acts: 'imports of projects: `git` by the address of a repository, `gitlab_project` from archives, `github`, `gitea` and `bitbucket_server` from these products',
    },
  ),
  max_decompressed_archive_size: whole('imports', 25_600, 'Megabytes of an unpacked import; 0 for any', {
    acts: 'imports of projects',
  }),
  max_export_size: whole('imports', 0, 'Megabytes of an export; 0 for any', { acts: 'exports of projects' }),
  max_import_remote_file_size: whole('imports', 10_240, 'Megabytes that are fetched for an import; 0 for any', {
    ...bytes,
    acts: 'repositories that are imported by their address',
  }),
  max_import_size: whole('imports', 0, 'Megabytes of an import; 0 for any', { acts: 'imports of projects' }),
  project_export_enabled: flag('imports', true, 'Projects may be exported', { acts: 'exports of projects' }),
  relation_export_batch_size: whole('imports', 50, 'Rows of one batch of an export', one),
  silent_admin_exports_enabled: flag('imports', false, 'Exports by administrators send no mail'),

  allow_local_requests_from_system_hooks: flag('outbound', true, 'System hooks may reach the local network', {
    acts: 'calls of system hooks',
  }),
  allow_local_requests_from_web_hooks_and_services: flag(
    'outbound',
    false,
    'Web hooks may reach the local network',
    outbound,
  ),
  deny_all_requests_except_allowed: flag('outbound', false, 'Only listed addresses are reached', outbound),
  dns_rebinding_protection_enabled: flag('outbound', true, 'An address is looked up once', outbound),
  outbound_local_requests_whitelist: texts('outbound', [], 'Local addresses and hosts that may be reached', outbound),
  max_http_decompressed_size: whole('outbound', 100, 'Megabytes of an unpacked answer'),
  max_http_response_size_limit: whole('outbound', 100, 'Megabytes of an answer'),
  max_http_response_json_depth: whole('outbound', 100, 'Levels of a JSON answer'),
  tracker_connect_additional_audience_url: text('outbound', null, 'Further audience of tokens of the tracker', {
    format: 'url',
  }),
  tracker_connect_application_key: text('outbound', null, 'Application of the tracker'),
  tracker_connect_proxy_url: text('outbound', null, 'Instance that stands before this one for the tracker', {
    format: 'url',
  }),
  tracker_connect_public_key_storage_enabled: flag('outbound', false, 'Keep public keys for the tracker'),
  slack_app_enabled: flag('outbound', false, 'Slack application', {
    needs: ['slack_app_id', 'slack_app_secret', 'slack_app_signing_secret', 'slack_app_verification_token'],
  }),
  slack_app_id: text('outbound', null, 'Client of the Slack application'),
  slack_app_secret: text('outbound', null, 'Secret of the Slack application', { secret: 'masked' }),
  slack_app_signing_secret: text('outbound', null, 'Signing secret of the Slack application', { secret: 'masked' }),
  slack_app_verification_token: text('outbound', null, 'Token of the Slack application', { secret: 'masked' }),
  eks_access_key_id: text('compatibility', null, 'Key of the cluster service', { max: 128 }),
  eks_account_id: text('compatibility', null, 'Account of the cluster service', { max: 12 }),
  eks_integration_enabled: flag('compatibility', false, 'Clusters of that service', { needs: ['eks_account_id'] }),
  eks_secret_access_key: text('compatibility', null, 'Secret of that key', { secret: 'hidden' }),
};
