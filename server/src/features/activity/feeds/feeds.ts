/**
 * Atom feeds of events: of a person, of a project or group, of everything that somebody is a member of. Issues and merge
 * requests of a project, a group or of oneself as a feed, issues also as a calendar of the days by which they are due; what a
 * repository has.
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
import type { RepositoryReader } from '../../repository/index.ts';
import type { MergeRequestFeed } from '../../review/index.ts';
import { actionName, type EventRow, type EventSource, listEvents } from '../events/index.ts';
import { eventFeeds, listFeeds } from './addresses.ts';
import { atom, type Feed } from './atom.ts';
import { calendar } from './calendar.ts';
import { repositoryFeeds } from './repository-feeds.ts';

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
  readonly requestFeed: MergeRequestFeed;
  readonly reader: RepositoryReader;
}

const entries = 20;
/** Issues in a calendar. */
const mostDue = 500;
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

interface ListParams {
  readonly noun: string;
  readonly format: string;
  readonly kind: string;
  readonly path: string;
  readonly below?: string;
}

interface What {
  readonly title: string;
  readonly page: string;
  readonly source: EventSource;
}

export function feeds(deps: FeedDependencies): { mount(server: FastifyInstance): void } {
  const { db, externalUrl } = deps;
  const ofRepository = repositoryFeeds(deps);

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

  /** What a feed of issues or merge requests is of, as far as the caller may see it. */
  async function placeOf(noun: string, kind: string, path: string, caller: Caller) {
    const words = noun.replace('_', ' ');
    const title = `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
    if (kind === 'dashboard') return { place: null, title, page: `${externalUrl}/dashboard/${noun}` };
    if (path.includes('\0')) throw notFound();
    const place = kind === 'group' ? await deps.group(path, caller) : await deps.project(path, caller);
    if (!place) throw notFound();
    const { full_name, full_path } = place.kind === 'group' ? place.group : place.namespace;
    return place.kind === 'group'
      ? { place, title: `${full_name} ${words}`, page: `${externalUrl}/groups/${full_path}/-/${noun}` }
      : {
          place,
          title: `${full_name} / ${place.project.name} ${words}`,
          page: `${externalUrl}/${full_path}/${place.project.path}/-/${noun}`,
        };
  }

  interface Planned {
    readonly web_url: string;
    readonly title: string;
    readonly description: string | null;
    readonly updated_at: Date | string;
    readonly author: Named;
    readonly assignees: readonly Named[];
    readonly milestone: { readonly title: string } | null;
    readonly labels: readonly unknown[];
    readonly due_date: string | null;
  }
  interface Named {
    readonly id: number;
    readonly name: string;
  }

  /** Issues or merge requests as entries. */
  async function plannedEntries(found: readonly Planned[]): Promise<Feed['entries']> {
    const people = await findReferences(
      db,
      found.flatMap(({ author, assignees }) => [author.id, ...assignees.map(({ id }) => id)]),
    );
    const person = ({ id, name }: Named) => ({ name, email: people.get(id)?.public_email || null });
    return found.map(({ web_url: url, title, updated_at, author, assignees, milestone, labels, ...planned }) => ({
      ...{ id: url, url, title, at: new Date(updated_at), author: person(author) },
      details: {
        description: planned.description,
        milestone: milestone?.title ?? null,
        labels: labels.filter((label) => typeof label === 'string'),
        assignees: assignees.map(person),
        due_date: planned.due_date,
      },
    }));
  }

  async function listAs({ noun, format, kind, path, below }: ListParams, request: FastifyRequest): Promise<string> {
    const caller = await callerOf(request);
    if (noun !== 'issues' && noun !== 'merge_requests') {
      const subject = path.includes('\0') ? null : await deps.project(path, caller);
      return atom(await ofRepository(noun, subject, caller, below, entries));
    }
    const { place, title, page } = await placeOf(noun, kind, path, caller);
    const [, query = ''] = request.url.split('?', 2);
    const about = { title, page, self: `${page}.atom` };
    if (noun === 'merge_requests') {
      const requests = await deps.requestFeed({ place, caller, query, limit: entries });
      return atom({ ...about, entries: await plannedEntries(requests) });
    }
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
    return atom({ ...about, entries: await plannedEntries(issues) });
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
      for (const rest of ['', '/:below'])
        server.get<{ Params: ListParams }>(`${listFeeds}/:noun/:format/:kind/:path${rest}`, async (request, reply) => {
          const body = await listAs(request.params, request);
          const type = request.params.format === 'ics' ? 'text/calendar' : 'application/atom+xml';
          return await send(request, reply, type, body);
        });
      server.get<{ Params: { path: string } }>(`${eventFeeds}/:path`, async (request, reply) => {
        const caller = await callerOf(request);
        return await send(request, reply, 'application/atom+xml', atom(await feedOf(request.params.path, caller)));
      });
    },
  };
}
