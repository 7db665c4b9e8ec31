/** Rows of projects to their JSON. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import { letsIn } from '../../../kernel/authz/git-protocols.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { ApplicationSettings } from '../../../kernel/settings/index.ts';
import { pictureUrl } from '../avatars/pictures.ts';
import { namespaceReference } from '../namespaces/reference.entity.ts';
import type { BasicProjectJson, ProjectExtras, ProjectJson } from './projects.entity.ts';
import { settingsJson } from './settings.entity.ts';

/** Addresses that projects are told with. */
export interface Addresses {
  /** Without a trailing slash. */
  readonly externalUrl: string;
  /** What comes before a full path in SSH addresses; null where SSH is off or not allowed. */
  readonly sshPrefix: () => string | null;
  readonly httpPrefix: () => string;
}

/** Where git finds a repository over SSH; empty where SSH is off, as clients expect a text. */
export const sshUrl = (prefix: string | null, repository: string): string =>
  prefix === null ? '' : `${prefix}${repository}`;

/** What comes before a project's full path in its HTTP address. */
export const httpRoot = (
  { custom_http_clone_url_root: root }: Pick<ApplicationSettings, 'custom_http_clone_url_root'>,
  externalUrl: string,
): string => `${(root || externalUrl).replace(/\/+$/, '')}/`;

/** That of a project: empty as well where its top-level group leaves git only HTTP. */
export const sshAddressOf = ({ namespace, project, gitProtocol }: ProjectSubject, prefix: string | null): string =>
  sshUrl(letsIn(gitProtocol, 'ssh') ? prefix : null, `${namespace.full_path}/${project.path}.git`);

const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** The page of a file on the default branch. */
export const fileUrl = ({ project, namespace }: ProjectSubject, externalUrl: string, path: string): string =>
  `${externalUrl}/${namespace.full_path}/${project.path}/-/blob/${encodePath(project.default_branch ?? 'HEAD')}/${encodePath(path)}`;

/** The short form. */
export function basicProjectJson(
  subject: ProjectSubject,
  caller: Caller,
  { externalUrl, sshPrefix, httpPrefix }: Addresses,
  readmePath: string | null,
): BasicProjectJson {
  const { project, namespace } = subject;
  const fullPath = `${namespace.full_path}/${project.path}`;
  const webUrl = `${externalUrl}/${fullPath}`;
  const code = canOnProject(caller, 'read_code', subject);
  const readme =
    readmePath !== null && project.default_branch !== null ? fileUrl(subject, externalUrl, readmePath) : null;
  return {
    id: project.id,
    description: project.description ?? '',
    name: project.name,
    name_with_namespace: `${namespace.full_name} / ${project.name}`,
    path: project.path,
    path_with_namespace: fullPath,
    created_at: project.created_at,
    ...(code ? { default_branch: project.default_branch } : {}),
    tag_list: project.topics,
    topics: project.topics,
    ssh_url_to_repo: sshAddressOf(subject, sshPrefix()),
    http_url_to_repo: `${httpPrefix()}${fullPath}.git`,
    web_url: webUrl,
    ...(code ? { readme_url: readme, forks_count: project.forks_count } : {}),
    avatar_url: pictureUrl(externalUrl, 'project', project.id, project.avatar_object_key),
    star_count: project.star_count,
    last_activity_at: project.last_activity_at,
    visibility: project.visibility,
    namespace: namespaceReference(namespace, externalUrl),
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
  const settings = settingsJson(project, {
    member: caller.admin || subject.level >= Level.guest,
    code: canOnProject(caller, 'read_code', subject),
    maintainer: canOnProject(caller, 'update_project', subject),
    admin: caller.admin,
  });
  const { issues_enabled: issues, merge_requests_enabled: mergeRequests } = settings;
  const self = `${addresses.externalUrl}/api/v4/projects/${project.id}`;
  return {
    ...basicProjectJson(subject, caller, addresses, extras.readmePath),
    ...settings,
    updated_at: project.updated_at,
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
    can_create_merge_request_in: canOnProject(caller, 'create_merge_request', subject),
    creator_id: project.creator_id,
    ...(extras.forkedFrom ? { forked_from_project: extras.forkedFrom } : {}),
    mirror: project.mirror,
    ...extras.mirror,
    import_url: canOnProject(caller, 'update_project', subject) ? project.import_url : null,
    import_type: project.import_type,
    import_status: project.import_status,
    ...(issues ? { open_issues_count: project.open_issues_count } : {}),
    // No framework can be made yet.
    compliance_frameworks: [],
    shared_with_groups: [...extras.sharedWith],
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
