/** Who hears of a text: those whom it names, alone or with a group or everybody (`@all`), and who read what it is of. */
import { inPerson } from '../../../kernel/authz/acting.ts';
import { canOnGroup } from '../../../kernel/authz/can.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import {
  epicFacts,
  type Fact,
  type FactConsumer,
  issueFacts,
  mergeRequestFacts,
  noteFacts,
  on,
} from '../../../kernel/events/index.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { referencesIn } from '../../../kernel/markdown/index.ts';
import { findUser, usersMentioned } from '../../identity/index.ts';
import {
  type FollowedKind,
  isFollowed,
  may,
  type Noteable,
  type NoteableKind,
  type NoteableKinds,
  noteById,
  type TodoTarget,
} from '../notes/index.ts';
import { createTodo } from '../todos/index.ts';
import { commentersOf, describedIn, membersOf } from './mentions.queries.ts';

/** What a text is of. */
/** What is told of; only comments can be on a commit. */
export type About = Pick<Noteable, 'type' | 'id' | 'projectId' | 'groupId'> & Partial<Pick<Noteable, 'commitId'>>;

/** Somebody who sees what a text is of. */
export interface Reader {
  readonly caller: Caller;
  readonly subject: ProjectSubject | GroupSubject;
  readonly target: TodoTarget;
}

export interface Audience {
  /** Those of the people who see the thing, and its internal comments where these are meant. */
  readers(about: About, userIds: readonly number[], internal: boolean): Promise<ReadonlyMap<number, Reader>>;
  /** People whom a text names: by themselves, and with a group or as everybody. */
  named(about: About, text: string, authorId: number): Promise<{ alone: number[]; together: number[] }>;
  /** Who wrote the thing, is to do or review it, or commented. */
  participants(about: About): Promise<number[]>;
}

interface Dependencies {
  readonly db: Db;
  readonly kinds: NoteableKinds;
  readonly parents: Pick<ParentLoader, 'project' | 'group'>;
}

const callerFor = async (db: Db, userId: number): Promise<Caller | null> => {
  const user = await findUser(db, userId);
  return user?.state === 'active' ? inPerson(user) : null;
};

/** Groups that one text names. */
const mostGroups = 10;

export function audience({ db, kinds, parents }: Dependencies): Audience {
  async function subjectFor({ projectId, groupId }: About, caller: Caller) {
    if (projectId !== null) return await parents.project(String(projectId), caller);
    return groupId === null ? null : await parents.group(String(groupId), caller);
  }

  type Seen = Pick<Reader, 'subject' | 'target'> | null;

  async function followed({ followed: { many } }: FollowedKind, about: About, caller: Caller): Promise<Seen> {
    const target = about.id === null ? undefined : (await many([about.id], caller)).get(about.id);
    const subject = target && (await subjectFor(about, caller));
    return target && subject ? { target, subject } : null;
  }

  async function mailed({ mailed: kind }: NoteableKind, about: About, caller: Caller): Promise<Seen> {
    const subject = kind && (await subjectFor(about, caller));
    const target = subject?.kind === 'project' ? await kind?.show(subject, about, caller) : null;
    return target && subject ? { target, subject } : null;
  }

  async function reader(about: About, userId: number, internal: boolean): Promise<Reader | null> {
    const kind = kinds.of(about.type);
    const caller = await callerFor(db, userId);
    if (!caller) return null;
    const found = isFollowed(kind) ? await followed(kind, about, caller) : await mailed(kind, about, caller);
    if (!found) return null;
    const { target, subject } = found;
    const place = { noteable: { commitId: null, ...about, iid: null }, subject, title: target.title };
    return internal && !may(caller, kind, 'internal', place) ? null : { caller, subject, target };
  }

  /** Members of the groups that the author sees. */
  async function grouped(names: readonly string[], author: Caller): Promise<number[]> {
    const found: number[] = [];
    for (const name of names.slice(0, mostGroups)) {
      const group = await parents.group(name, author);
      if (!group || !canOnGroup(author, 'read_group', group)) continue;
      found.push(...(await membersOf(db, group.group.traversal_ids, null)));
    }
    return found;
  }

  async function everybody(about: About, author: Caller): Promise<number[]> {
    const subject = await subjectFor(about, author);
    if (!subject) return [];
    return subject.kind === 'project'
      ? await membersOf(db, subject.namespace.traversal_ids, subject.project.id)
      : await membersOf(db, subject.group.traversal_ids, null);
  }

  return {
    async readers(about, userIds, internal) {
      const found = new Map<number, Reader>();
      for (const userId of new Set(userIds)) {
        const each = await reader(about, userId, internal);
        if (each) found.set(userId, each);
      }
      return found;
    },
    async named(about, text, authorId) {
      const names = [
        ...new Set(
          referencesIn(text).flatMap(({ kind, value }) =>
            (kind === 'user' || kind === 'group') && !/^\d+$/.test(value) ? [value.toLowerCase()] : [],
          ),
        ),
      ];
      const author = names.length === 0 ? null : await callerFor(db, authorId);
      if (!author) return { alone: [], together: [] };
      const alone = await usersMentioned(db, names);
      const groups = names.filter((name) => name !== 'all');
      const together = [
        ...(await grouped(groups, author)),
        ...(names.includes('all') ? await everybody(about, author) : []),
      ];
      const others = (ids: readonly number[]) => [...new Set(ids)].filter((id) => id !== authorId);
      return { alone: others(alone), together: others(together) };
    },
    async participants(about) {
      const kind = kinds.of(about.type);
      const people =
        isFollowed(kind) && about.id !== null
          ? await kind.followed.people(db, about.id)
          : await kind.mailed?.people(about);
      return people ? [...new Set([...people, ...(await commentersOf(db, about))])] : [];
    },
  };
}

/**
 * To-dos for those whom descriptions or comments of groups name, and for members of groups that comments name; others get
 * theirs at once.
 */
export function mentionTodos(deps: Dependencies & { readonly audience: Audience }): FactConsumer {
  const { db } = deps;

  async function add(
    about: Noteable,
    userIds: readonly number[],
    authorId: number,
    note?: { id: number; internal: boolean },
  ) {
    for (const userId of (await deps.audience.readers(about, userIds, note?.internal ?? false)).keys())
      await createTodo(db, { userId, authorId, noteable: about, action: 'mentioned', noteId: note?.id ?? null });
  }

  async function described(
    type: 'issue' | 'merge_request' | 'epic',
    id: number,
    actorId: number | null,
    changes?: Readonly<Record<string, { readonly previous?: unknown }>>,
  ): Promise<void> {
    if (actorId === null || (changes && !('description' in changes))) return;
    const row = await describedIn(db, type, id);
    if (!row?.description) return;
    const about: Noteable = {
      type,
      id,
      iid: row.iid,
      projectId: row.project_id,
      groupId: row.group_id,
      commitId: null,
    };
    const before = changes?.description?.previous;
    const known = typeof before === 'string' ? await deps.audience.named(about, before, actorId) : null;
    const found = await deps.audience.named(about, row.description, actorId);
    const earlier = new Set(known ? [...known.alone, ...known.together] : []);
    await add(
      about,
      [...found.alone, ...found.together].filter((userId) => !earlier.has(userId)),
      actorId,
    );
  }

  async function commented({ payload, actor_id }: Fact<typeof noteFacts.created>): Promise<void> {
    if (payload.names_nothing) return;
    const note = await noteById(db, payload.note_id);
    if (!note || note.system || note.noteable_id === null || actor_id === null) return;
    if (!isFollowed(deps.kinds.of(note.noteable_type))) return;
    const about: Noteable = {
      ...{ type: note.noteable_type, id: note.noteable_id, iid: note.noteable_iid, commitId: null },
      ...{ projectId: note.project_id, groupId: note.namespace_id },
    };
    const { alone, together } = await deps.audience.named(about, note.body, actor_id);
    // Those who are named alone in a project have theirs already.
    const people = note.project_id === null ? [...alone, ...together] : together.filter((id) => !alone.includes(id));
    await add(about, people, actor_id, note);
  }

  return {
    name: 'mentions',
    handlers: [
      on([issueFacts.opened, issueFacts.updated], async ({ payload, actor_id }) => {
        if (!payload.names_nothing) await described('issue', payload.issue_id, actor_id, payload.changes);
      }),
      on([mergeRequestFacts.opened, mergeRequestFacts.updated], ({ payload, actor_id }) =>
        described('merge_request', payload.merge_request_id, actor_id, payload.changes),
      ),
      on(epicFacts.opened, ({ payload, actor_id }) => described('epic', payload.epic_id, actor_id)),
      on(noteFacts.created, commented),
    ],
  };
}
