/** The parts that messages to other servers share: a project, a person, a commit. Names and order are the ecosystem's. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { userReference } from '../../identity/index.ts';
import { pictureUrl, sshAddressOf } from '../../namespaces/index.ts';

export interface Urls {
  /** Without a trailing slash. */
  readonly externalUrl: string;
  /** What comes before a project's path in its SSH address; null where SSH is off. */
  readonly sshPrefix: () => string | null;
}

export const visibilityLevels = { private: 0, internal: 10, public: 20 } as const;

export const fullPathOf = ({ namespace, project }: ProjectSubject) => `${namespace.full_path}/${project.path}`;

export const webUrlOf = (subject: ProjectSubject, { externalUrl }: Urls) => `${externalUrl}/${fullPathOf(subject)}`;

export function projectPart(subject: ProjectSubject, urls: Urls) {
  const { project, namespace } = subject;
  const webUrl = webUrlOf(subject, urls);
  const ssh = sshAddressOf(subject, urls.sshPrefix());
  const http = `${webUrl}.git`;
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    web_url: webUrl,
    avatar_url: pictureUrl(urls.externalUrl, 'project', project.id, project.avatar_object_key),
    git_ssh_url: ssh,
    git_http_url: http,
    namespace: namespace.name,
    visibility_level: visibilityLevels[project.visibility],
    path_with_namespace: fullPathOf(subject),
    default_branch: project.default_branch,
    ci_config_path: project.ci_config_path,
    homepage: webUrl,
    url: ssh || http,
    ssh_url: ssh,
    http_url: http,
  };
}

export function repositoryPart(subject: ProjectSubject, urls: Urls) {
  const { name, url, description, homepage } = projectPart(subject, urls);
  return { name, url, description, homepage };
}

export function pushedRepositoryPart(subject: ProjectSubject, urls: Urls) {
  const { git_http_url, git_ssh_url, visibility_level } = projectPart(subject, urls);
  return { ...repositoryPart(subject, urls), git_http_url, git_ssh_url, visibility_level };
}

export const avatarOf = (user: User, { externalUrl }: Urls) => userReference(user, externalUrl).avatar_url;

/** Addresses are told only where their owners show them. */
export const shownEmail = (user: Pick<User, 'public_email'>) => user.public_email || '[REDACTED]';

export const personPart = (user: User | null, urls: Urls) =>
  user && {
    id: user.id,
    name: user.name,
    username: user.username,
    avatar_url: avatarOf(user, urls),
    email: shownEmail(user),
  };

/** A commit as the repository tells it. */
export interface CommitFacts {
  readonly id: string;
  readonly title: string;
  readonly message: string;
  readonly author_name: string;
  readonly author_email: string;
  readonly authored_date: string;
  readonly committed_date: string;
}

export const commitPart = (commit: CommitFacts, webUrl: string) => ({
  id: commit.id,
  message: commit.message,
  title: commit.title,
  timestamp: commit.committed_date,
  url: `${webUrl}/-/commit/${commit.id}`,
  author: { name: commit.author_name, email: commit.author_email },
});

/** `2016-08-12 15:23:28 UTC`, as pipelines and merge requests write dates. */
export const dateText = (date: Date | null) =>
  date && `${date.toISOString().slice(0, 10)} ${date.toISOString().slice(11, 19)} UTC`;
