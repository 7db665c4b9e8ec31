/**
 * What people discuss: commits, merge requests, issues, snippets, epics. Each of them is a **kind** that registers here
 * once and gets comments, threads, reactions, to-dos, subscriptions and the history of its labels, milestone and state.
 *
 * To add a noun, its feature makes a `NoteableKind` and hands it to `register` of the collaboration feature, which answers
 * the routes to list among its own:
 *
 * ```ts
 * routes: [...issueRoutes(deps), ...deps.noteables.register(issueKind(deps))],
 * ```
 *
 * Its table needs a trigger, in the migration that makes it, so that what was said goes when a row goes:
 *
 * ```sql
 * create trigger issues_belongings after delete on issues referencing old table as gone
 *   for each statement execute function remove_belongings('issue');
 * ```
 */
import type { TProperties, TSchema } from 'typebox';
import type { GroupAbility, ProjectAbility } from '../../../kernel/authz/abilities.ts';
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Note } from '../../../kernel/db/rows.ts';
import type { Commandable } from '../quick-actions/commands.ts';
import type { SuggestionJson } from './notes.entity.ts';
import type { NewNote } from './notes.service.ts';
import type { Position } from './positions.ts';

export type NoteableType = 'commit' | 'issue' | 'merge_request' | 'snippet' | 'epic';

/** What a comment is about, as its row says. */
export interface Noteable {
  readonly type: NoteableType;
  /** The project that it is in; null for what groups have. */
  readonly projectId: number | null;
  /** The group that it is in; null for what projects have. */
  readonly groupId: number | null;
  /** Of its row; null for commits, which have none. */
  readonly id: number | null;
  /** Number within the project or the group; null where the kind has none. */
  readonly iid: number | null;
  /** The hash, for commits. */
  readonly commitId: string | null;
}

/** A thing of a project that is a row. */
export const ofProject = (
  type: NoteableType,
  row: { readonly id: number; readonly iid: number | null; readonly project_id: number },
): Noteable => ({ type, projectId: row.project_id, groupId: null, id: row.id, iid: row.iid, commitId: null });

/** The columns that say what a comment is about. */
export const columnsOf = (noteable: Noteable) => ({
  project_id: noteable.projectId,
  namespace_id: noteable.groupId,
  noteable_type: noteable.type,
  noteable_id: noteable.id,
  noteable_iid: noteable.iid,
  commit_id: noteable.commitId,
});

/** What is discussed, loaded for somebody: where it is, and what decides who may say something. */
export interface Place {
  readonly noteable: Noteable;
  readonly subject: ProjectSubject | GroupSubject;
  /** What it is called, for the list of what people did. */
  readonly title: string;
  /** Who made it: they may resolve its threads. */
  readonly authorId?: number | null;
  /** Only members comment. */
  readonly locked?: boolean;
}

/** Which abilities the mechanism asks for. */
interface Abilities<Ability> {
  readonly read: Ability;
  /** To comment. */
  readonly write: Ability;
  /** To change and remove comments of others. */
  readonly admin: Ability;
  /** To resolve threads of others; null where threads are not resolved. */
  readonly resolve: Ability | null;
  /** To read and write internal comments; null where there are none. */
  readonly internal: Ability | null;
}

/** What a to-do is about, as its kind shows it. */
export interface TodoTarget {
  readonly json: object;
  readonly title: string;
  /** Path of its page. */
  readonly path: string;
}

/** What a kind says that people subscribe to, get to-dos about, and whose history is kept. */
export interface Followed {
  /** Tag of the noun's own routes. */
  readonly tag: string;
  /** What `show` answers. */
  readonly entity: TSchema;
  /** The thing as its own route shows it. */
  show(place: Place, caller: Caller): Promise<unknown>;
  /** Things by id as lists show them; those that the caller may not see are left out. */
  many(ids: readonly number[], caller: Caller): Promise<ReadonlyMap<number, TodoTarget>>;
  /** Who hears of it without a subscription: author, assignees, reviewers. */
  people(db: Db, id: number): Promise<number[]>;
  /** Which histories it has: `/resource_label_events` and the like. */
  readonly events: readonly ('label' | 'milestone' | 'state' | 'weight' | 'iteration')[];
  /** Iterations in the history, by id; a later domain has them. Required of kinds with events of iterations. */
  readonly iterations?: {
    readonly entity: TSchema;
    many(ids: readonly number[]): Promise<ReadonlyMap<number, unknown>>;
  };
}

/** What mails about comments need of a kind that nobody subscribes to. */
export interface Mailed {
  /** The thing for somebody who has the project; null where they do not see it. */
  show(subject: ProjectSubject, about: MailedThing, caller: Caller): Promise<TodoTarget | null>;
  /** Who made it. */
  people(about: MailedThing): Promise<number[]>;
}
export type MailedThing = Pick<Noteable, 'id' | 'projectId'> & Partial<Pick<Noteable, 'commitId'>>;

interface Common<P extends TProperties> {
  readonly type: NoteableType;
  /** Below the project or the group: `/merge_requests/:merge_request_iid`. */
  readonly path: string;
  /** The parameters that name it. */
  readonly params: P;
  /** In sentences: `a merge request`. */
  readonly noun: string;
  /** Whether it has the API of single comments, `/notes`, beside that of threads. */
  readonly notes: boolean;
  /** Whether the token of a running job reads its comments. */
  readonly jobTokens?: true;
  /** False where people do not react to it with emoji. */
  readonly awards?: false;
  /** Where reactions, subscriptions and to-dos name it in another way than comments do. */
  readonly reactions?: Pick<Common<P>, 'path' | 'params' | 'load'>;
  readonly followed?: Followed;
  readonly mailed?: Mailed;
  /** What quick actions need to know of it; left out where its comments have none. */
  readonly commands?: Commandable;
  /** Whether a reply makes a thread of a single comment. */
  readonly convertible: boolean;
  /** 404 where it is not there, or is not for the caller. */
  load(
    subject: ProjectSubject | GroupSubject,
    params: Readonly<Record<string, unknown>>,
    caller: Caller,
  ): Promise<Place>;
  /** The comment at a position; refuses one that is none of the change. Left out where nothing changes. */
  positioned?(place: Place, position: Position): Promise<Pick<NewNote, 'position' | 'lineCode'>>;
  /** A comment was written or got another text; in the transaction of that. */
  written?(tx: Db, place: Place, note: Note): Promise<void>;
  /** What comments on lines propose in place of them, by the comment. */
  suggestions?(notes: readonly Note[]): Promise<ReadonlyMap<number, readonly SuggestionJson[]>>;
  /** Something was said about things: marks their rows as updated and tells open pages, in the transaction of the comments. */
  commented?(tx: Db, places: readonly Place[]): Promise<void>;
}

export type NoteableKind<P extends TProperties = TProperties> = Common<P> &
  (
    | { readonly on: 'project'; readonly abilities: Abilities<ProjectAbility> }
    | { readonly on: 'group'; readonly abilities: Abilities<GroupAbility> }
  );

export type FollowedKind = NoteableKind & { readonly followed: Followed };

export const isFollowed = (kind: NoteableKind): kind is FollowedKind => kind.followed !== undefined;

/** The abilities of most kinds that projects have, beside those to read and to comment. */
export const projectNoteAbilities = {
  admin: 'admin_note',
  resolve: 'resolve_note',
  internal: 'read_internal_note',
} as const satisfies Partial<Abilities<ProjectAbility>>;

/** Whether the caller has one of the kind's abilities where the thing is. */
export function may(caller: Caller, kind: NoteableKind, what: keyof Abilities<unknown>, { subject }: Place): boolean {
  const ability = kind.abilities[what];
  if (ability === null) return false;
  return subject.kind === 'project'
    ? canOnProject(caller, ability as ProjectAbility, subject)
    : canOnGroup(caller, ability as GroupAbility, subject);
}

/** Whether the caller may say something here: where it is locked, only members do. */
export const mayComment = (caller: Caller, kind: NoteableKind, place: Place): boolean =>
  may(caller, kind, 'write', place) && (!place.locked || caller.admin || place.subject.level >= Level.guest);

/** The kinds that have registered. */
export interface NoteableKinds {
  add(kind: NoteableKind): void;
  of(type: NoteableType): NoteableKind;
  all(): readonly NoteableKind[];
}

export function noteableKinds(): NoteableKinds {
  const kinds = new Map<NoteableType, NoteableKind>();
  return {
    add(kind) {
      if (kinds.has(kind.type)) throw new Error(`Registered twice: ${kind.type}`);
      kinds.set(kind.type, kind);
    },
    of(type) {
      const kind = kinds.get(type);
      if (!kind) throw new Error(`Nobody has registered ${type}`);
      return kind;
    },
    all: () => [...kinds.values()],
  };
}
