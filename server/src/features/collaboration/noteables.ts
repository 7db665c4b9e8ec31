/** The face of the mechanism: kinds of things register, and get the routes of everything that people do with them. */
import type { TProperties } from 'typebox';
import type { Caller, ProjectSubject } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { FactConsumer } from '../../kernel/events/index.ts';
import type { ParentLoader } from '../../kernel/http/parents.ts';
import type { Route } from '../../kernel/http/route.ts';
import { type Markdown, mentionsIn } from '../../kernel/markdown/index.ts';
import { usersMentioned } from '../identity/index.ts';
import { awardRoutes } from './award-emoji/index.ts';
import { crossReferences } from './cross-references/index.ts';
import { type Audience, audience, mentionTodos } from './mentions/index.ts';
import {
  discussionRoutes,
  isFollowed,
  may,
  type NoteableKind,
  type NoteableType,
  type NoteHook,
  type NoteService,
  noteableKinds,
  noteRoutes,
  noteService,
  type Place,
  type TodoTarget,
} from './notes/index.ts';
import type { PushedCommits } from './ports.ts';
import { type QuickActions, quickActions } from './quick-actions/index.ts';
import { resourceEventRoutes } from './resource-events/index.ts';
import { subscriptionRoutes } from './subscriptions/index.ts';
import { createTodos, resolveAll, todoRoutes, todoRoutesOf } from './todos/index.ts';

export interface Noteables {
  /** Makes a kind known; answers its routes, for the feature that has it to list among its own. */
  register<P extends TProperties>(kind: NoteableKind<P>): Route[];
  /** For those who write comments by other ways than these routes. */
  readonly notes: NoteService;
  /** The same inside of a transaction: what it writes stands or falls with it. */
  notesIn(tx: Db): NoteService;
  /** Commands in texts. */
  readonly quickActions: QuickActions;
  /** Things of a kind by id as lists show them; those that the caller may not see are left out. */
  shown(type: NoteableType, ids: readonly number[], caller: Caller): Promise<ReadonlyMap<number, TodoTarget>>;
  /** Follow what happens to texts. */
  readonly consumers: readonly FactConsumer[];
  /** Who hears of what is said and done. */
  readonly audience: Audience;
  /** Routes that belong to no kind. */
  readonly routes: readonly Route[];
  /** Those whom a text names and who may see the thing, but for its author; asked before the transaction of the change. */
  mentioned(place: Place, text: string, authorId: number, internal?: boolean): Promise<number[]>;
}

/** One per process. */
export function noteables(deps: {
  readonly db: Db;
  readonly externalUrl: string;
  readonly markdown: Pick<Markdown, 'html'>;
  readonly parents: Pick<ParentLoader, 'project' | 'group'>;
  readonly pushedCommits: PushedCommits;
  /** The person and the project as they are now; null when either is gone or may not act. */
  readonly actingAs: (
    userId: number,
    projectId: number,
  ) => Promise<{ readonly caller: Caller; readonly subject: ProjectSubject } | null>;
}): Noteables {
  const { db } = deps;
  const kinds = noteableKinds();
  const heard = audience({ ...deps, kinds });

  async function mentioned(place: Place, text: string, authorId: number, internal = false): Promise<number[]> {
    const { id, projectId, type } = place.noteable;
    const kind = kinds.of(type);
    const names = mentionsIn(text);
    if (names.length === 0 || id === null || projectId === null || !isFollowed(kind)) return [];
    const found: number[] = [];
    for (const userId of await usersMentioned(db, names)) {
      const reader = userId === authorId ? null : await deps.actingAs(userId, projectId);
      if (!reader || !(await kind.followed.many([id], reader.caller)).has(id)) continue;
      if (!internal || may(reader.caller, kind, 'internal', { ...place, subject: reader.subject })) found.push(userId);
    }
    return found;
  }

  /** Whoever comments has acted; whoever is named has something to do. */
  const written: NoteHook = {
    acted: resolveAll,
    async named({ noteable, ...place }, authorId, { body, internal = false }) {
      const told = await mentioned({ noteable, ...place }, body, authorId, internal);
      return (tx, { id: noteId }) =>
        createTodos(
          tx,
          told.map((userId) => ({ userId, authorId, noteable, action: 'mentioned', noteId })),
        );
    },
  };
  const notes = noteService({ db, kinds, written });
  const actions = quickActions(db, kinds, notes);
  const parts = { ...deps, notes, kinds, quickActions: actions };

  return {
    notes,
    notesIn: (tx) => noteService({ db: tx, kinds, written }),
    quickActions: actions,
    shown: async (type, ids, caller) =>
      ids.length === 0 ? new Map() : ((await kinds.of(type).followed?.many(ids, caller)) ?? new Map()),
    mentioned,
    audience: heard,
    consumers: [crossReferences({ ...deps, kinds }), mentionTodos({ ...deps, kinds, audience: heard })],
    routes: todoRoutes(parts),
    register(kind) {
      kinds.add(kind);
      const named: NoteableKind = { ...kind, ...kind.reactions };
      return [
        ...(kind.notes ? noteRoutes(parts, kind) : []),
        ...discussionRoutes(parts, kind),
        ...(kind.awards === false ? [] : awardRoutes(parts, named)),
        ...(isFollowed(named) ? [...subscriptionRoutes(parts, named), ...todoRoutesOf(parts, named)] : []),
        ...(isFollowed(kind) ? resourceEventRoutes(parts, kind) : []),
      ];
    },
  };
}
