/** Atom feeds of events: of a person, of a project or group, of everything that somebody is a member of. */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import { anonymous, type Caller, type GroupSubject, type ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { authenticate, type CredentialResolver } from '../../../kernel/http/credentials.ts';
import { notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { findReferences, findUserByUsername } from '../../identity/index.ts';
import { actionName, type EventRow, type EventSource, listEvents } from '../events/index.ts';
import { atom, type Feed } from './atom.ts';

export interface FeedDependencies {
  readonly db: Db;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  /** A project by full path as the caller sees it. */
  readonly project: (path: string, caller: Caller) => Promise<ProjectSubject | null>;
  /** A group by full path as the caller sees it. */
  readonly group: (path: string, caller: Caller) => Promise<GroupSubject | null>;
  /** Who a feed token stands for; null when it is unknown. */
  readonly feedCaller: (token: string) => Promise<Caller | null>;
  readonly resolver: CredentialResolver;
}

const internal = '/-/feeds';
const entries = 20;

/** Maps the addresses of feeds, paths of any depth with `.atom` behind them, onto one route. */
export function rewriteFeedUrl(url: string): string {
  const [path = '/', query] = url.split('?', 2) as [string, string | undefined];
  const match = /^\/(.+)\.atom$/.exec(path);
  if (!match || path.startsWith('/api/') || path.startsWith('/-/') || path.includes('/-/')) return url;
  const name = match[1] ?? '';
  // What is not valid stays as it is, and is refused where all such addresses are.
  if (!isDecodable(name)) return url;
  return `${internal}/${encodeURIComponent(decodeURIComponent(name))}${query === undefined ? '' : `?${query}`}`;
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

/** Words and signs of what has a number. */
const numbered: Readonly<Record<string, readonly [words: string, sign: string, page: string]>> = {
  issue: ['issue', '#', 'issues'],
  merge_request: ['merge request', '!', 'merge_requests'],
  milestone: ['milestone', '%', 'milestones'],
  epic: ['epic', '&', 'epics'],
};

/** What an event, or the comment that it is, is about, where that has a number. */
function subjectOf(event: EventRow) {
  const note = event.note?.row;
  const [words, sign, page] = numbered[note?.noteable_type ?? event.target_type ?? ''] ?? [];
  const iid = note ? note.noteable_iid : event.target_iid;
  if (iid === null || page === undefined) return null;
  return { text: `${words} ${sign}${iid}`, path: `${page}/${iid}${note ? `#note_${note.id}` : ''}` };
}

const target = (event: EventRow): string => {
  const about = subjectOf(event);
  if (about) return `${about.text}: ${event.target_title ?? ''}`;
  if (event.target_title !== null) return event.target_title;
  if (event.ref !== null) return `${event.ref_type === 'tag' ? 'tag' : 'branch'} ${event.ref}`;
  if (event.ref_count !== null) return `${event.ref_count} ${event.ref_type === 'tag' ? 'tag(s)' : 'branch(es)'}`;
  return 'project';
};

/** `externalUrl` has no slash at its end. */
function urlOf(event: EventRow, externalUrl: string): string {
  const project = `${externalUrl}/${event.project_id === null ? 'groups/' : ''}${event.place_path}`;
  const about = subjectOf(event);
  if (about) return `${project}/-/${about.path}`;
  if (event.note?.row.commit_id) return `${project}/-/commit/${event.note.row.commit_id}#note_${event.note.row.id}`;
  if (event.wiki_slug !== null)
    return `${project}/-/wikis/${event.wiki_slug.split('/').map(encodeURIComponent).join('/')}`;
  if (event.commit_to !== null && event.commit_count === 1) return `${project}/-/commit/${event.commit_to}`;
  if (event.ref === null || event.commit_to === null) return project;
  return `${project}/-/commits/${event.ref.split('/').map(encodeURIComponent).join('/')}`;
}

interface What {
  readonly title: string;
  readonly page: string;
  readonly source: EventSource;
}

export function feeds(deps: FeedDependencies): { mount(server: FastifyInstance): void } {
  const { db, externalUrl } = deps;

  /** By the feed token, or else by the session of a browser. A token that is not one is refused, not left out. */
  async function callerOf(request: FastifyRequest): Promise<Caller> {
    const { feed_token: token } = request.query as Readonly<Record<string, unknown>>;
    if (token !== undefined) {
      const caller = typeof token === 'string' ? await deps.feedCaller(token) : null;
      if (!caller) throw unauthorized();
      return caller;
    }
    return (await authenticate(deps.resolver, request, {}, ['session'])) ?? anonymous;
  }

  /** What the path names, as far as the caller may see it. */
  async function find(path: string, caller: Caller): Promise<What> {
    if (path.includes('\0')) throw notFound();
    if (path === 'dashboard/projects') {
      if (!caller.user) throw unauthorized();
      return { title: 'Activity', page: `${externalUrl}/`, source: 'memberships' };
    }
    const group = await deps.group(path, caller);
    if (group && canOnGroup(caller, 'read_group', group)) {
      const { full_name, full_path } = group.group;
      return { title: `${full_name} activity`, page: `${externalUrl}/groups/${full_path}`, source: { group } };
    }
    if (!path.includes('/')) {
      const user = await findUserByUsername(db, path);
      const hidden = user?.private_profile && !caller.admin && caller.user?.id !== user.id;
      if (!user || hidden) throw notFound();
      return { title: `${user.name} activity`, page: `${externalUrl}/${user.username}`, source: { authorId: user.id } };
    }
    const subject = await deps.project(path, caller);
    if (!subject || !canOnProject(caller, 'read_project', subject)) throw notFound();
    const { project, namespace } = subject;
    return {
      title: `${namespace.full_name} / ${project.name} activity`,
      page: `${externalUrl}/${namespace.full_path}/${project.path}`,
      source: { project: subject },
    };
  }

  async function feedOf(path: string, caller: Caller): Promise<Feed> {
    const { title, page, source } = await find(path, caller);
    const host = new URL(externalUrl).hostname;
    const { rows } = await listEvents(db, caller, source, {}, { limit: entries, offset: 0 });
    const authors = await findReferences(
      db,
      rows.map((row) => row.author_id),
    );
    return {
      title,
      page,
      self: `${externalUrl}/${path.split('/').map(encodeURIComponent).join('/')}.atom`,
      entries: rows.flatMap((row) => {
        const author = authors.get(row.author_id);
        if (!author) return [];
        const what = `${author.name} ${actionName(row)} ${target(row)}`;
        return {
          id: `tag:${host},${row.created_at.toISOString().slice(0, 10)}:event/${row.id}`,
          title: `${what} at ${row.place_name}`,
          url: urlOf(row, externalUrl),
          at: row.created_at,
          author: { name: author.name, email: author.public_email || null },
        };
      }),
    };
  }

  return {
    mount(server) {
      server.get<{ Params: { path: string } }>(`${internal}/:path`, async (request, reply) => {
        const caller = await callerOf(request);
        const body = atom(await feedOf(request.params.path, caller));
        const tag = `W/"${createHash('sha256').update(body).digest('base64url')}"`;
        void reply.header('ETag', tag).header('Cache-Control', 'private, no-cache').header('Vary', 'Cookie');
        if (request.headers['if-none-match'] === tag) return reply.code(304).send();
        return reply.header('Content-Type', 'application/atom+xml; charset=utf-8').send(body);
      });
    },
  };
}
