/** A group of another instance becomes one of ours: itself, what it has, and the names of what is below it. */
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Outbound } from '../../../kernel/outbound/index.ts';
import {
  findNamespaceSubject,
  type GroupRelation,
  type GroupTarget,
  type Namespaces,
  openness,
} from '../../namespaces/index.ts';
import { type Row, text } from '../project-archives/json.ts';
import { peopleKnown } from '../project-archives/people.ts';
import { count, type Outcome, takeRow, tell } from '../project-archives/taking.ts';
import type { ArchivedFiles } from '../project-archives/uploads.ts';
import type { UrlImports } from '../project-archives/url-imports.ts';
import { type ProviderClient, ProviderError } from '../provider-imports/client.ts';
import type { Part } from '../provider-imports/provider.ts';
import { fileParts } from '../provider-imports/transfer-files.ts';
import { relationFiles, type TransferLimits } from '../provider-imports/transfer-source.ts';
import { wikiAt, wikiPart } from '../provider-imports/wiki-part.ts';
import { type EntityRow, insertEntities, type NewEntity, setEntity, waitsForOthers } from './bulk-imports.queries.ts';

/** Kept with the relations that are done. */
const childrenStage = 'subgroups and projects';

export interface GroupTransferOptions {
  readonly db: Db;
  readonly groups: Namespaces['groups'];
  readonly client: ProviderClient;
  readonly outbound: Pick<Outbound, 'send' | 'open'>;
  /** The other instance. */
  readonly from: { readonly base: string; readonly token: string };
  readonly limits: TransferLimits;
  /** In the order in which they build on each other. */
  readonly relations: readonly GroupRelation[];
  readonly caller: Caller;
  readonly urlImports: Pick<UrlImports, 'wiki'>;
  readonly files: ArchivedFiles;
  /** Bytes of an uploaded file. */
  readonly largest: number;
  readonly signal: AbortSignal;
}

export async function transferGroup(entity: EntityRow, options: GroupTransferOptions): Promise<void> {
  const { db, groups, client, outbound, from, limits, relations, caller, signal } = options;
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
  let outcome: Outcome = {
    failures: [...(entity.failures as unknown as Outcome['failures'])],
    fetched: { ...before.fetched },
    imported: { ...before.imported },
  };
  /** Does a part of the work and keeps how far it is, in one transaction: which may have to be tried again. */
  async function step(work: (tx: Db, next: Outcome) => Promise<void>): Promise<void> {
    outcome = await transaction(db, async (tx) => {
      const { failures, fetched, imported } = outcome;
      const next = { failures: [...failures], fetched: { ...fetched }, imported: { ...imported } };
      await work(tx, next);
      const { failures: told, ...stats } = next;
      const kept = { stats: JSON.stringify(stats), failures: JSON.stringify(told) };
      await setEntity(tx, entity.id, { done_stages: [...done], ...kept });
      return next;
    });
  }
  const files = relationFiles({ outbound, signal, source: from, place: `/groups/${there}`, limits });
  // What was exported before this transfer began is of the past.
  if (done.size === 0 && Object.keys(outcome.fetched).length === 0) await files.begin();
  const importerId = caller.user?.id ?? 0;
  const target: GroupTarget = {
    ...{ groupId: group.group.id, rootId: group.group.id, importerId },
    ...{ trusted: caller.admin, person: peopleKnown(db, caller.admin) },
  };
  async function bring(relation: GroupRelation): Promise<void> {
    const { name } = relation;
    if (done.has(name) || (name === 'members' && !entity.migrate_memberships)) return;
    // An attempt that was interrupted has kept so many; the files are still those of the same export.
    const kept = outcome.fetched[name] ?? 0;
    let line = 0;
    const brought = async (rows: readonly Row[], first: number): Promise<void> =>
      await step(async (tx, next) => {
        for (const [at, row] of rows.entries()) {
          next.fetched[name] = first + at;
          // Whoever transfers a group owns it here.
          const own = name === 'members' && (await target.person(text(row.username))) === importerId;
          const reason = own ? null : await takeRow(tx, relation, row, target, first + at);
          next.imported[name] = (next.imported[name] ?? 0) + (reason === null ? 1 : 0);
          if (reason !== null) tell(next, { relation: name, line: first + at, reason });
        }
      });
    let problem: string | null = null;
    try {
      // A page at a time: no transaction waits for the other instance.
      for await (const page of files.rowsOf(name)) {
        signal.throwIfAborted();
        const left = page.slice(Math.max(0, kept - line)).map(({ row }) => row);
        line += page.length;
        if (left.length > 0) await brought(left, line - left.length + 1);
      }
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind === 'unauthorized') throw error;
      problem = error.message;
    }
    done.add(name);
    await step(async (tx, next) => {
      next.fetched[name] ??= 0;
      next.imported[name] ??= 0;
      if (problem !== null) tell(next, { relation: name, line: 0, reason: problem });
      await relation.arrived?.(tx, group.group.id);
    });
  }

  async function bringPart({ name, take }: Part): Promise<void> {
    if (done.has(name)) return;
    const reasons: (string | null)[] = [];
    try {
      for await (const reason of take()) reasons.push(reason);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind === 'unauthorized') throw error;
      reasons.push(error.message);
    }
    done.add(name);
    await step(async (_tx, next) => {
      for (const reason of reasons) count(next, name, reason);
    });
  }

  for (const relation of relations) if (!relation.acrossGroups) await bring(relation);
  const place = { outbound, signal, source: from, place: `/groups/${there}`, rowsOf: files.rowsOf };
  const owner = { kind: 'group', id: group.group.id } as const;
  const address = new URL(wikiAt(`${from.base.replace(/\/api\/v4$/, '')}/${text(source.full_path) ?? ''}`));
  [address.username, address.password] = ['oauth2', encodeURIComponent(from.token)];
  await bringPart(wikiPart(options.urlImports, group, address.href, signal));
  for (const part of fileParts({ ...place, files: options.files, owner, target, largest: options.largest }))
    await bringPart(part);
  if (!done.has(childrenStage)) await addChildren();
  // What names things of groups below comes when all of them are there, with the group at the top.
  if (entity.parent_id === null) {
    if (await waitsForOthers(db, entity)) return;
    for (const relation of relations) if (relation.acrossGroups) await bring(relation);
  }
  await setEntity(db, entity.id, { status: 'finished' });

  /** Groups and projects below it follow as entities of their own. */
  async function addChildren(): Promise<void> {
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
    done.add(childrenStage);
    await step((tx) => insertEntities(tx, entity.bulk_import_id, entity.id, children));
  }
}
