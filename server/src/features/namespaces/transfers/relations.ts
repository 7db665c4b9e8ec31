/** What of a project besides its code goes into an archive, one line of JSON for each row. */
import type { Static, TObject } from 'typebox';
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import {
  Bool,
  DateParam,
  DateTimeParam,
  Int,
  List,
  OneOf,
  Optional,
  OrNull,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { customAttributesOf, saveCustomAttribute } from '../custom-attributes/custom-attributes.queries.ts';
import { longestFilter, mostHooks, sharedEvents } from '../hooks/hooks.events.ts';
import { countHooks } from '../hooks/hooks.queries.ts';
import * as queries from './relations.queries.ts';

/** Where rows go. */
export interface ImportTarget {
  readonly projectId: number;
  /** Who imports, and answers for what has nobody else. */
  readonly importerId: number;
  /** Whose names in the archive are those of users of this instance: only administrators can know. */
  readonly trusted: boolean;
  /** The user of a name, where names are trusted. */
  person(username: string | null | undefined): Promise<number | null>;
  hasCommit(id: string | null | undefined): Promise<boolean>;
  /** Why an address may not be called; null when it may. */
  refusedAddress(url: string): Promise<string | null>;
}

/** Whoever makes an archive. */
export interface Exporter {
  readonly admin: boolean;
}

/** One kind of row. What other slices keep they declare themselves. */
export interface Relation {
  readonly name: string;
  readonly schema: TObject;
  /** All rows of a project that whoever exports may see, in batches. */
  rows(db: Db, projectId: number, by: Exporter): AsyncIterable<readonly object[]>;
  /** Puts a checked row in; answers why not where it cannot be. */
  insert(tx: Db, row: never, target: ImportTarget): Promise<string | null>;
  /** Takes away what an interrupted import put in. */
  remove(tx: Db, projectId: number): Promise<void>;
}

export function relation<T extends TObject>(spec: {
  readonly name: string;
  readonly schema: T;
  readonly rows: Relation['rows'];
  insert(tx: Db, row: Static<T>, target: ImportTarget): Promise<string | null>;
  readonly remove: Relation['remove'];
}): Relation {
  return spec;
}

async function* once<T extends object>(rows: Promise<readonly T[]>): AsyncGenerator<readonly T[]> {
  yield await rows;
}

const attributesOf = async (db: Db, projectId: number) =>
  (await customAttributesOf(db, 'project', [projectId])).get(projectId) ?? [];

const text = (maxLength: number) => Str({ maxLength });
const named = Str({ minLength: 1, maxLength: 255 });
/** An address of a web page. */
const link = Str({ minLength: 1, maxLength: 2048, pattern: '^https?://' });
const roles = [0, 30, 40, 60];

export const ownRelations: readonly Relation[] = [
  relation({
    name: 'labels',
    schema: Type.Object({
      title: named,
      description: Optional(OrNull(text(100_000))),
      color: Str({ pattern: '^#[0-9a-fA-F]{6}$' }),
      archived: Bool(),
      priority: Optional(OrNull(Int({ minimum: 0, maximum: 2_147_483_647 }))),
      of_group: Optional(Bool()),
      created_at: DateTimeParam(),
    }),
    rows: (db, projectId) => once(queries.labelsOf(db, projectId)),
    insert: (tx, row, { projectId }) => queries.insertLabel(tx, projectId, row),
    remove: queries.removing('labels'),
  }),
  relation({
    name: 'milestones',
    schema: Type.Object({
      iid: Optional(OrNull(Int({ minimum: 1, maximum: 2_147_483_647 }))),
      title: named,
      description: Optional(OrNull(text(1_048_576))),
      state: OneOf(['active', 'closed']),
      start_date: Optional(OrNull(DateParam())),
      due_date: Optional(OrNull(DateParam())),
      created_at: DateTimeParam(),
    }),
    rows: (db, projectId) => once(queries.milestonesOf(db, projectId)),
    insert: (tx, row, { projectId }) => queries.insertMilestone(tx, projectId, row),
    remove: queries.removing('milestones'),
  }),
  relation({
    name: 'badges',
    schema: Type.Object({ name: Optional(OrNull(text(255))), link_url: link, image_url: link }),
    rows: (db, projectId) => once(queries.badgesOf(db, projectId)),
    insert: (tx, row, { projectId }) => queries.insertBadge(tx, projectId, row),
    remove: queries.removing('badges'),
  }),
  relation({
    name: 'protected_branches',
    schema: Type.Object({
      name: Str({ minLength: 1, maxLength: 1024 }),
      allow_force_push: Bool(),
      code_owner_approval_required: Bool(),
      levels: List(Type.Object({ kind: OneOf(['push', 'merge', 'unprotect']), level: Int() })),
    }),
    rows: (db, projectId) => once(queries.protectedBranchesOf(db, projectId)),
    insert: async (tx, row, { projectId }) =>
      row.levels.every(({ level }) => roles.includes(level))
        ? await queries.insertProtectedBranch(tx, projectId, row)
        : 'has a level that does not exist',
    remove: queries.removing('protected_branches'),
  }),
  relation({
    name: 'protected_tags',
    schema: Type.Object({
      name: Str({ minLength: 1, maxLength: 1024 }),
      levels: List(Int()),
    }),
    rows: (db, projectId) => once(queries.protectedTagsOf(db, projectId)),
    insert: async (tx, row, { projectId }) =>
      row.levels.every((level) => roles.includes(level))
        ? await queries.insertProtectedTag(tx, projectId, row)
        : 'has a level that does not exist',
    remove: queries.removing('protected_tags'),
  }),
  relation({
    name: 'hooks',
    schema: Type.Object({
      name: Optional(OrNull(text(255))),
      description: Optional(OrNull(text(2048))),
      url: link,
      events: List(OneOf(sharedEvents)),
      push_events_branch_filter: Optional(OrNull(text(longestFilter))),
      branch_filter_strategy: OneOf(['wildcard', 'regex', 'all_branches']),
      enable_ssl_verification: Bool(),
    }),
    rows: (db, projectId) => once(queries.hooksOf(db, projectId)),
    insert: async (tx, row, { projectId, refusedAddress }) => {
      // Expressions are checked where hooks are made; here they are left out.
      if (row.branch_filter_strategy === 'regex') return 'filters branches by an expression';
      if ((await countHooks(tx, { kind: 'project', project: { id: projectId } })) >= mostHooks.project)
        return `is one too many: a project has ${mostHooks.project} at most`;
      return (await refusedAddress(row.url)) ?? (await queries.insertHook(tx, projectId, row));
    },
    remove: queries.removing('web_hooks'),
  }),
  relation({
    name: 'custom_attributes',
    schema: Type.Object({ key: named, value: Str({ minLength: 1, maxLength: 255 }) }),
    // Administrators keep them, and nobody else reads them.
    rows: (db, projectId, { admin }) => once(admin ? attributesOf(db, projectId) : Promise.resolve([])),
    insert: async (tx, row, { projectId, trusted }) => {
      if (!trusted) return 'only administrators import them';
      await saveCustomAttribute(tx, 'project', projectId, row);
      return null;
    },
    remove: queries.removing('project_custom_attributes'),
  }),
  relation({
    name: 'members',
    schema: Type.Object({
      username: named,
      access_level: Int(),
      expires_at: Optional(OrNull(DateParam())),
    }),
    rows: (db, projectId) => once(queries.membersOf(db, projectId)),
    insert: async (tx, row, target) => {
      if (!target.trusted) return 'only administrators import members';
      const userId = await target.person(row.username);
      if (userId === null) return `nobody is called ${row.username}`;
      return await queries.insertMember(tx, target, { ...row, userId });
    },
    // Whoever imports stays: that is how they came to the project.
    remove: queries.removeMembers,
  }),
];
