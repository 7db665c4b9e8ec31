/** Feeds of what a repository has: commits of a branch or below a path, tags, and releases. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { newestReleases, releaseUrl } from '../../delivery/index.ts';
import { findReferences } from '../../identity/index.ts';
import { commitTimes, type RepositoryReader } from '../../repository/index.ts';
import type { Entry, Feed } from './atom.ts';

interface Dependencies {
  readonly db: Db;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  readonly reader: RepositoryReader;
}

/** Parts of a path that may be the name of a ref. */
const mostParts = 10;

const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/');

export function repositoryFeeds({ db, externalUrl, reader }: Dependencies) {
  const addressOf = ({ project, namespace }: ProjectSubject) => `${externalUrl}/${namespace.full_path}/${project.path}`;
  const titled = ({ project, namespace }: ProjectSubject, what: string) =>
    `${namespace.full_name} / ${project.name} ${what}`;

  /** The longest beginning that names a branch, a tag or a commit, and the path behind it. */
  async function placeIn({ project }: ProjectSubject, name: string) {
    const parts = name.split('/');
    for (let length = Math.min(parts.length, mostParts); length > 0; length--) {
      const sha = await reader.resolve(project, parts.slice(0, length).join('/'));
      if (sha !== null) return { sha, path: parts.slice(length).join('/') };
    }
    throw notFound();
  }

  function commitEntry(subject: ProjectSubject, { title, message, author, committer, id }: Commit): Entry {
    const url = `${addressOf(subject)}/-/commit/${id}`;
    const summary = message.slice(title.length).trim();
    const { name, email } = author;
    return { id: url, url, title, at: new Date(committer.date), author: { name, email }, summary };
  }
  type Commit = Awaited<ReturnType<RepositoryReader['commit']>>;

  async function commits(subject: ProjectSubject, below: string | undefined, limit: number): Promise<Feed> {
    const name = below ?? subject.project.default_branch ?? 'HEAD';
    const { sha, path } = await placeIn(subject, name);
    const found = await reader.log(subject.project, { from: [sha], ...(path ? { path } : {}), skip: 0, limit });
    const page = `${addressOf(subject)}/-/commits/${encoded(name)}`;
    return {
      ...{ title: titled(subject, `commits: ${name}`), page, self: `${page}?format=atom` },
      entries: found.map((commit) => commitEntry(subject, commit)),
    };
  }

  async function tags(subject: ProjectSubject, limit: number): Promise<Feed> {
    const all = await reader.tags(subject.project);
    const times = await commitTimes(reader, subject, all);
    const at = (tag: (typeof all)[number]) => (tag.taggedAt ?? new Date(times.get(tag.name) ?? 0)).getTime();
    const newest = all.toSorted((a, b) => at(b) - at(a)).slice(0, limit);
    const base = `${addressOf(subject)}/-/tags`;
    return {
      ...{ title: titled(subject, 'tags'), page: base, self: `${base}?format=atom` },
      entries: await Promise.all(
        newest.map(async (tag) => {
          const url = `${base}/${encodeURIComponent(tag.name)}`;
          const { author } = await reader.commit(subject.project, tag.commit);
          const { name, email } = author;
          const about = { title: tag.name, at: new Date(at(tag)), author: { name, email } };
          return { ...about, id: url, url, summary: tag.message?.trim() ?? '' };
        }),
      ),
    };
  }

  async function releases(subject: ProjectSubject, limit: number): Promise<Feed> {
    const rows = await newestReleases(db, subject.project.id, limit);
    const people = await findReferences(
      db,
      rows.flatMap(({ author_id }) => author_id ?? []),
    );
    const page = `${addressOf(subject)}/-/releases`;
    return {
      ...{ title: titled(subject, 'releases'), page, self: `${page}.atom` },
      entries: rows.map((row) => {
        const url = releaseUrl(addressOf(subject), row.tag);
        const author = row.author_id === null ? undefined : people.get(row.author_id);
        return {
          ...{ id: url, url, title: row.name ?? row.tag, at: row.released_at, summary: row.description ?? '' },
          author: { name: author?.name ?? 'Ghost User', email: author?.public_email || null },
        };
      }),
    };
  }

  return async (
    noun: string,
    subject: ProjectSubject | null,
    caller: Caller,
    below: string | undefined,
    limit: number,
  ): Promise<Feed> => {
    const ability = noun === 'releases' ? 'read_release' : 'read_code';
    if (!subject || below?.includes('\0') || !canOnProject(caller, ability, subject)) throw notFound();
    if (noun === 'commits') return await commits(subject, below, limit);
    return noun === 'tags' ? await tags(subject, limit) : await releases(subject, limit);
  };
}
