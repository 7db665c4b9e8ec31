/** A group of another instance becomes one of ours: itself, what it has, and the names of what is below it. */
import Type from 'typebox';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { DateParam, Int, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import {
  ensureLabel,
  insertMilestone,
  labelRelation,
  milestoneRelation,
  titleTaken,
} from '../../collaboration/index.ts';
import { findNamespaceSubject, insertBroughtMember, type Namespaces, openness } from '../../namespaces/index.ts';
import { type Row, text } from '../project-archives/json.ts';
import { checked } from '../project-archives/manifest.ts';
import { personNamed } from '../project-archives/people.queries.ts';
import { type Outcome, tell } from '../project-archives/taking.ts';
import { ArchiveError } from '../project-archives/tar.ts';
import { type ProviderClient, ProviderError } from '../provider-imports/client.ts';
import { type EntityRow, insertEntities, type NewEntity, setEntity } from './bulk-imports.queries.ts';

const memberLine = Type.Object({
  username: Str({ minLength: 1, maxLength: 255 }),
  access_level: Int(),
  expires_at: Optional(OrNull(DateParam())),
});

export interface GroupTransferOptions {
  readonly db: Db;
  readonly groups: Namespaces['groups'];
  readonly client: ProviderClient;
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

type Insert = (tx: Db, group: GroupSubject, row: Row) => Promise<string | null>;

/** Labels, milestones and members of the group itself; why not, where a row cannot be. */
const parts = (caller: Caller): readonly { name: string; path: string; insert: Insert }[] => [
  {
    name: 'labels',
    path: 'labels?only_group_labels=true&include_ancestor_groups=false',
    insert: async (tx, group, row) => {
      const line = {
        title: row.name,
        color: row.color,
        description: text(row.description),
        archived: row.archived === true,
      };
      const { title, color, description, archived } = checked(
        labelRelation.schema,
        { ...line, created_at: new Date().toISOString() } as never,
        'label',
      ) as { title: string; color: string; description: string | null; archived: boolean };
      await ensureLabel(tx, group, { title, color, description, archived });
      return null;
    },
  },
  {
    name: 'milestones',
    path: 'milestones?include_ancestors=false',
    insert: async (tx, group, row) => {
      const { title, description, state, start_date, due_date } = row;
      const line = checked(
        milestoneRelation.schema,
        { title, description, state, start_date, due_date, created_at: row.created_at } as never,
        'milestone',
      ) as { title: string; state: 'active' | 'closed'; start_date?: string | null; due_date?: string | null };
      if (line.start_date && line.due_date && line.due_date <= line.start_date) return 'ends before it begins';
      if (await titleTaken(tx, group, line.title, null)) return null;
      await insertMilestone(tx, group, {
        title: line.title,
        state: line.state,
        description: text(description),
        start_date: line.start_date ?? null,
        due_date: line.due_date ?? null,
      });
      return null;
    },
  },
  {
    name: 'members',
    path: 'members',
    insert: async (tx, group, { username, access_level, expires_at }) => {
      if (!caller.admin) return 'only administrators import members';
      const line = checked(memberLine, { username, access_level, expires_at } as never, 'member') as {
        username: string;
        access_level: number;
        expires_at?: string | null;
      };
      const userId = await personNamed(tx, line.username);
      if (userId === null) return `nobody is called ${line.username}`;
      if (userId === caller.user?.id) return null;
      return await insertBroughtMember(tx, { namespace_id: group.group.id }, caller.user?.id ?? userId, {
        ...line,
        userId,
      });
    },
  },
];

export async function transferGroup(entity: EntityRow, options: GroupTransferOptions): Promise<void> {
  const { db, groups, client, caller, signal } = options;
  const source = await client.get(`/groups/${encodeURIComponent(entity.source_full_path)}`);
  const there = Number(source.id);
  if (!Number.isInteger(there)) throw new ProviderError('missing', 'The group is not there');
  const above = entity.destination_namespace;
  const userId = caller.user?.id ?? null;
  const parent = above === '' ? null : await findNamespaceSubject(db, above, userId);
  if (above !== '' && parent?.group.kind !== 'group') throw new ProviderError('missing', `There is no group ${above}`);
  const fullPath = above === '' ? entity.destination_slug : `${above}/${entity.destination_slug}`;

  /** That of an attempt that ended before it could say so, or a new one. */
  async function made(): Promise<GroupSubject> {
    const found = await findNamespaceSubject(db, fullPath, userId);
    const own = found?.group.created_by_id === userId && found.group.created_at >= entity.created_at;
    if (found && (entity.namespace_id === found.group.id || own)) return { ...found, level: Level.owner };
    const wanted = source.visibility === 'public' || source.visibility === 'internal' ? source.visibility : 'private';
    const most = parent ? parent.group.visibility : 'public';
    const visibility = openness(wanted) > openness(most) ? most : wanted;
    const name = entity.destination_name ?? text(source.name) ?? entity.destination_slug;
    const description = text(source.description);
    return await groups.create(
      caller,
      { name, path: entity.destination_slug, parentId: parent?.group.id ?? null },
      { visibility, ...(description === null ? {} : { description: description.slice(0, 500) }) },
    );
  }
  const group = await made();
  await setEntity(db, entity.id, { namespace_id: group.group.id });

  const done = new Set(entity.done_stages);
  const before = entity.stats as Partial<Pick<Outcome, 'fetched' | 'imported'>>;
  const outcome: Outcome = {
    failures: [...(entity.failures as unknown as Outcome['failures'])],
    fetched: { ...before.fetched },
    imported: { ...before.imported },
  };
  for (const { name, path, insert } of parts(caller)) {
    if (done.has(name) || (name === 'members' && !entity.migrate_memberships)) continue;
    const rows: Row[] = [];
    for await (const page of client.pages(`/groups/${there}/${path}${path.includes('?') ? '&' : '?'}per_page=100`)) {
      signal.throwIfAborted();
      rows.push(...page);
    }
    await transaction(db, async (tx) => {
      let line = 0;
      for (const row of rows) {
        line += 1;
        const reason = await insert(tx, group, row).catch((error: unknown) => {
          if (error instanceof ArchiveError) return error.message;
          throw error;
        });
        outcome.fetched[name] = line;
        outcome.imported[name] = (outcome.imported[name] ?? 0) + (reason === null ? 1 : 0);
        if (reason !== null) tell(outcome, { relation: name, line, reason });
      }
      done.add(name);
      const { failures, ...stats } = outcome;
      const kept = { stats: JSON.stringify(stats), failures: JSON.stringify(failures) };
      await setEntity(tx, entity.id, { done_stages: [...done], ...kept });
    });
  }

  const children: NewEntity[] = [];
  const below = { destination_namespace: group.group.full_path, destination_name: null };
  const { migrate_projects, migrate_memberships } = entity;
  const add = (source_type: NewEntity['source_type'], row: Row): void => {
    const source_full_path = text(row.full_path) ?? text(row.path_with_namespace);
    const destination_slug = text(row.path);
    if (source_full_path !== null && destination_slug !== null)
      children.push({
        ...below,
        source_type,
        source_full_path,
        destination_slug,
        migrate_projects,
        migrate_memberships,
      });
  };
  for await (const page of client.pages(`/groups/${there}/subgroups?per_page=100`))
    for (const row of page) add('group', row);
  if (migrate_projects)
    for await (const page of client.pages(
      `/groups/${there}/projects?include_subgroups=false&with_shared=false&per_page=100`,
    ))
      for (const row of page) add('project', row);
  await transaction(db, async (tx) => {
    await insertEntities(tx, entity.bulk_import_id, entity.id, children);
    await setEntity(tx, entity.id, { status: 'finished' });
  });
}
