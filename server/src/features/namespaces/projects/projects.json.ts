/** Rows of projects to their JSON. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { BasicProjectJson, ProjectExtras, ProjectJson } from './projects.entity.ts';

/** Addresses that projects are told with. */
export interface Addresses {
  /** Without a trailing slash. */
  readonly externalUrl: string;
  /** What comes before a full path in SSH addresses. */
  readonly sshPrefix: string;
}

type FeatureLevel = 'disabled' | 'private' | 'enabled' | 'public';

const avatar = (externalUrl: string, kind: string, id: number, key: string | null) =>
  key === null ? null : `${externalUrl}/uploads/-/system/${kind}/avatar/${id}/${key.slice(key.lastIndexOf('/') + 1)}`;

const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** The short form. */
export function basicProjectJson(
  subject: ProjectSubject,
  caller: Caller,
  { externalUrl, sshPrefix }: Addresses,
  readmePath: string | null,
): BasicProjectJson {
  const { project, namespace } = subject;
  const fullPath = `${namespace.full_path}/${project.path}`;
  const webUrl = `${externalUrl}/${fullPath}`;
  const code = canOnProject(caller, 'read_code', subject);
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace: `${namespace.full_name} / ${project.name}`,
    path: project.path,
    path_with_namespace: fullPath,
    created_at: project.created_at,
    default_branch: code ? project.default_branch : null,
    tag_list: project.topics,
    topics: project.topics,
    ssh_url_to_repo: `${sshPrefix}${fullPath}.git`,
    http_url_to_repo: `${webUrl}.git`,
    web_url: webUrl,
    readme_url:
      code && readmePath !== null && project.default_branch !== null
        ? `${webUrl}/-/blob/${encodePath(project.default_branch)}/${encodePath(readmePath)}`
        : null,
    forks_count: project.forks_count,
    avatar_url: avatar(externalUrl, 'project', project.id, project.avatar_object_key),
    star_count: project.star_count,
    last_activity_at: project.last_activity_at,
    visibility: project.visibility,
    namespace: {
      id: namespace.id,
      name: namespace.name,
      path: namespace.path,
      kind: namespace.kind,
      full_path: namespace.full_path,
      parent_id: namespace.parent_id,
      avatar_url: avatar(externalUrl, 'group', namespace.id, namespace.avatar_object_key),
      web_url:
        namespace.kind === 'user'
          ? `${externalUrl}/${namespace.full_path}`
          : `${externalUrl}/groups/${namespace.full_path}`,
    },
  };
}

const accessOf = (level: number | null) =>
  // Notifications have no settings of their own yet: everybody has the global one.
  level === null ? null : { access_level: level, notification_level: 3 };

/** The whole object, as much as the caller may see. */
export function projectJson(
  subject: ProjectSubject,
  caller: Caller,
  addresses: Addresses,
  extras: ProjectExtras,
): ProjectJson {
  const { project } = subject;
  const member = caller.admin || subject.level >= Level.guest;
  const on = (level: string) => level === 'enabled' || level === 'public' || (level === 'private' && member);
  const level = (text: string) => text as FeatureLevel;
  const issues = on(project.issues_access_level);
  const mergeRequests = on(project.merge_requests_access_level);
  const self = `${addresses.externalUrl}/api/v4/projects/${project.id}`;
  return {
    ...basicProjectJson(subject, caller, addresses, extras.readmePath),
    updated_at: project.updated_at,
    archived: project.archived,
    // The write path counts every change of a ref: none means that nothing was ever pushed.
    empty_repo: project.refs_generation === 0,
    ...(extras.owner ? { owner: extras.owner } : {}),
    _links: {
      self,
      ...(issues ? { issues: `${self}/issues` } : {}),
      ...(mergeRequests ? { merge_requests: `${self}/merge_requests` } : {}),
      repo_branches: `${self}/repository/branches`,
      labels: `${self}/labels`,
      events: `${self}/events`,
      members: `${self}/members`,
      cluster_agents: `${self}/cluster_agents`,
    },
    marked_for_deletion_at: project.marked_for_deletion_on,
    marked_for_deletion_on: project.marked_for_deletion_on,
    repository_object_format: 'sha1',
    issues_enabled: issues,
    merge_requests_enabled: mergeRequests,
    wiki_enabled: on(project.wiki_access_level),
    jobs_enabled: on(project.builds_access_level),
    snippets_enabled: on(project.snippets_access_level),
    // Registries, service desk and Pages are not part of the product yet: off everywhere.
    packages_enabled: false,
    container_registry_enabled: false,
    service_desk_enabled: false,
    container_registry_access_level: 'disabled',
    pages_access_level: 'disabled',
    can_create_merge_request_in: canOnProject(caller, 'create_merge_request', subject),
    issues_access_level: level(project.issues_access_level),
    repository_access_level: level(project.repository_access_level),
    merge_requests_access_level: level(project.merge_requests_access_level),
    forking_access_level: level(project.forking_access_level),
    wiki_access_level: level(project.wiki_access_level),
    builds_access_level: level(project.builds_access_level),
    snippets_access_level: level(project.snippets_access_level),
    releases_access_level: level(project.releases_access_level),
    environments_access_level: level(project.environments_access_level),
    emails_disabled: !project.emails_enabled,
    emails_enabled: project.emails_enabled,
    shared_runners_enabled: project.shared_runners_enabled,
    group_runners_enabled: project.group_runners_enabled,
    lfs_enabled: project.lfs_enabled,
    request_access_enabled: project.request_access_enabled,
    creator_id: project.creator_id,
    import_status: 'none',
    ...(issues ? { open_issues_count: project.open_issues_count } : {}),
    ci_default_git_depth: project.ci_default_git_depth,
    ci_forward_deployment_enabled: project.ci_forward_deployment_enabled,
    ci_separated_caches: project.ci_separated_caches,
    ci_job_token_scope_enabled: project.ci_job_token_scope_enabled,
    ci_config_path: project.ci_config_path,
    build_git_strategy: project.build_git_strategy,
    build_timeout: project.build_timeout,
    auto_cancel_pending_pipelines: project.auto_cancel_pending_pipelines ? 'enabled' : 'disabled',
    public_jobs: project.public_jobs,
    keep_latest_artifact: project.keep_latest_artifact,
    shared_with_groups: [...extras.sharedWith],
    only_allow_merge_if_pipeline_succeeds: project.only_allow_merge_if_pipeline_succeeds,
    allow_merge_on_skipped_pipeline: project.allow_merge_on_skipped_pipeline,
    only_allow_merge_if_all_discussions_are_resolved: project.only_allow_merge_if_all_discussions_are_resolved,
    remove_source_branch_after_merge: project.remove_source_branch_after_merge,
    resolve_outdated_diff_discussions: project.resolve_outdated_diff_discussions,
    printing_merge_request_link_enabled: project.printing_merge_request_link_enabled,
    merge_method: project.merge_method,
    squash_option: project.squash_option,
    merge_pipelines_enabled: project.merge_pipelines_enabled,
    merge_trains_enabled: project.merge_trains_enabled,
    suggestion_commit_message: project.suggestion_commit_message,
    merge_commit_template: project.merge_commit_template,
    squash_commit_template: project.squash_commit_template,
    autoclose_referenced_issues: project.autoclose_referenced_issues,
    ...(caller.admin ? { repository_storage: project.repository_storage } : {}),
    ...(extras.statistics ? { statistics: extras.statistics } : {}),
    ...(caller.user === null
      ? {}
      : {
          permissions: {
            project_access: accessOf(extras.projectAccess),
            group_access: accessOf(extras.groupAccess),
          },
        }),
  };
}
