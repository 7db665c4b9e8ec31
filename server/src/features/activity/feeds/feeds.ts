/**
 * Atom feeds of events: of a person, of a project or group, of everything that somebody is a member of. Issues of a project, a
 * group or of oneself as a feed, and as a calendar of the days by which they are due.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import { anonymous, type Caller, type GroupSubject, type ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { authenticate, type CredentialResolver } from '../../../kernel/http/credentials.ts';
import { notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { findReferences, findUserByUsername } from '../../identity/index.ts';
import type { IssueFeed } from '../../planning/index.ts';
import { actionName, type EventRow, type EventSource, listEvents } from '../events/index.ts';
import { atom, type Feed } from './atom.ts';
import { calendar } from './calendar.ts';

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
  readonly issueFeed: IssueFeed;
}

const internal = '/-/feeds';
const ofIssues = '/-/issue-feeds';
const entries = 20;
/** Issues in a calendar. */
const mostDue = 500;
const issuesPath = /^\/(?:(dashboard)|(groups\/)?(.+)\/-)\/issues\.(atom|ics)$/;

/** Maps the addresses of feeds, paths of any depth with `.atom` or `.ics` behind them, onto a route for each kind. */
export function rewriteFeedUrl(url: string): string {
  const [path = '/', query] = url.split('?', 2) as [string, string | undefined];
  const [, mine, group, place = '', format] = path.startsWith('/api/') ? [] : (issuesPath.exec(path) ?? []);
  if (format !== undefined && (mine !== undefined || isDecodable(place))) {
    const kind = mine ?? (group === undefined ? 'project' : 'group');
    const name = encodeURIComponent(mine ?? decodeURIComponent(place));
    return `${ofIssues}/${format}/${kind}/${name}${query === undefined ? '' : `?${query}`}`;
  }
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

  /** What a feed of issues is of, as far as the caller may see it. */
  async function placeOf(kind: string, path: string, caller: Caller) {
    const title = 'Issues';
    if (kind === 'dashboard') return { place: null, title, page: `${externalUrl}/dashboard/issues` };
    if (path.includes('\0')) throw notFound();
    const place = kind === 'group' ? await deps.group(path, caller) : await deps.project(path, caller);
    if (!place) throw notFound();
    const { full_name, full_path } = place.kind === 'group' ? place.group : place.namespace;
    return place.kind === 'group'
      ? { place, title: `${full_name} issues`, page: `${externalUrl}/groups/${full_path}/-/issues` }
      : {
          place,
          title: `${full_name} / ${place.project.name} issues`,
          page: `${externalUrl}/${full_path}/${place.project.path}/-/issues`,
        };
  }

  async function issuesAs(format: string, kind: string, path: string, request: FastifyRequest): Promise<string> {
    const caller = await callerOf(request);
    const { place, title, page } = await placeOf(kind, path, caller);
    const [, query = ''] = request.url.split('?', 2);
    const due = format === 'ics';
    const issues = await deps.issueFeed({ place, caller, query, due, limit: due ? mostDue : entries });
    const { hostname } = new URL(externalUrl);
    if (due)
      return calendar(
        title,
        issues.map(({ id, title: summary, web_url: url, references, updated_at, due_date }) => ({
          uid: `issue-${id}@${hostname}`,
          changed: new Date(updated_at),
          day: due_date ?? '',
          summary: `${summary} (in ${references.full.replace(/#\d+$/, '')})`,
          description: `Find out more at ${url}`,
          url,
        })),
      );
    const people = await findReferences(
      db,
      issues.flatMap(({ author, assignees }) => [author.id, ...assignees.map(({ id }) => id)]),
    );
    const person = ({ id, name }: { readonly id: number; readonly name: string }) => ({
      name,
      email: people.get(id)?.public_email || null,
    });
    return atom({
      ...{ title, page, self: `${page}.atom` },
      entries: issues.map(({ web_url: url, title: named, updated_at, author, assignees, milestone, ...issue }) => ({
        ...{ id: url, url, title: named, at: new Date(updated_at), author: person(author) },
        details: {
          description: issue.description,
          milestone: milestone?.title ?? null,
          labels: issue.labels.filter((label) => typeof label === 'string'),
          assignees: assignees.map(person),
          due_date: issue.due_date,
        },
      })),
    });
  }

  /** Not sent again while nothing changed. */
  async function send(request: FastifyRequest, reply: FastifyReply, type: string, body: string) {
    const tag = `W/"${createHash('sha256').update(body).digest('base64url')}"`;
    void reply.header('ETag', tag).header('Cache-Control', 'private, no-cache').header('Vary', 'Cookie');
    if (request.headers['if-none-match'] === tag) return await reply.code(304).send();
    return await reply.header('Content-Type', `${type}; charset=utf-8`).send(body);
  }

  return {
    mount(server) {
      server.get<{ Params: { format: string; kind: string; path: string } }>(
        `${ofIssues}/:format/:kind/:path`,
        async (request, reply) => {
          const { format, kind, path } = request.params;
          const body = await issuesAs(format, kind, path, request);
          return await send(request, reply, format === 'ics' ? 'text/calendar' : 'application/atom+xml', body);
        },
      );
      server.get<{ Params: { path: string } }>(`${internal}/:path`, async (request, reply) => {
        const caller = await callerOf(request);
        return await send(request, reply, 'application/atom+xml', atom(await feedOf(request.params.path, caller)));
      });
    },
  };
}
