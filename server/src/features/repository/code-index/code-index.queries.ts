/** Rows of the code index: what is indexed, contents once in a network of forks, and the paths that have them. */
import { sql } from 'kysely';
import { type Db, gramsOf } from '../../../kernel/db/index.ts';

export type IndexKind = 'code' | 'wiki';

/** What has an index: the code or the wiki of a project, or the wiki of a group. */
export interface IndexOwner {
  readonly kind: IndexKind;
  readonly project_id: number | null;
  readonly namespace_id: number | null;
}

export interface CodeIndex extends IndexOwner {
  readonly id: number;
  readonly network: number;
  readonly commit: string | null;
  readonly branch: string | null;
  readonly generation: number;
  /** The commit whose history is stored. */
  readonly history: string | null;
  /** Of a fork: what this commit of its source contains is left out of the history. */
  readonly beyond: string | null;
}

const columns = sql`id, project_id, namespace_id, kind, network, "commit", branch, generation, history, beyond`;

export interface IndexedPath {
  readonly path: string;
  readonly oid: string;
  readonly language: string | null;
}

/** The index that there is; null before the first time. */
export async function findIndex(db: Db, { project_id, namespace_id, kind }: IndexOwner): Promise<CodeIndex | null> {
  const of = project_id === null ? sql`namespace_id = ${namespace_id}` : sql`project_id = ${project_id}`;
  const { rows } = await sql<CodeIndex>`select ${columns} from code_indexes where ${of} and kind = ${kind}`.execute(db);
  return rows[0] ?? null;
}

/** Networks of group wikis are below those of project wikis, which are the negative ids of their projects. */
const groupNetworks = 2 ** 40;

/** The index of a repository, made when there is none; null when its owner is gone. Forks share what their source has. */
export async function openIndex(db: Db, owner: IndexOwner): Promise<CodeIndex | null> {
  const found = await findIndex(db, owner);
  if (found) return found;
  const { project_id, namespace_id, kind } = owner;
  if (project_id === null) {
    await sql`insert into code_indexes (namespace_id, kind, network)
      select n.id, ${kind}, -(n.id + ${groupNetworks}::bigint) from namespaces n where n.id = ${namespace_id}
      on conflict do nothing`.execute(db);
    return await findIndex(db, owner);
  }
  const network =
    kind === 'wiki'
      ? sql`-p.id`
      : sql`coalesce((select s.network from code_indexes s
          where s.project_id = p.forked_from_project_id and s.kind = 'code'), p.forked_from_project_id, p.id)`;
  await sql`insert into code_indexes (project_id, kind, network)
    select p.id, ${kind}, ${network} from projects p where p.id = ${project_id}
    on conflict (project_id, kind) do nothing`.execute(db);
  return await findIndex(db, owner);
}

interface Progress {
  readonly state?: 'pending' | 'running' | 'failed';
  readonly done?: number;
  readonly total?: number;
  readonly error?: string | null;
}

export async function recordProgress(db: Db, id: number, progress: Progress): Promise<void> {
  await db
    .updateTable('code_indexes')
    .set({
      ...progress,
      ...(progress.state === 'running' ? { started_at: sql<Date>`coalesce(started_at, now())` } : {}),
    })
    .where('id', '=', id)
    .execute();
}

/** Contents that the network has already. */
export async function knownContents(db: Db, network: number, oids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ oid: string }>`select oid from code_blobs
    where network = ${network} and oid = any(${[...oids]}::text[])`.execute(db);
  return new Set(rows.map(({ oid }) => oid));
}

export interface NewContent {
  readonly oid: string;
  readonly bytes: number;
  readonly chunks: ReadonlyArray<{ readonly firstLine: number; readonly text: string }>;
}

/** Adds contents with their lines, all of one or none. */
export async function addContents(db: Db, network: number, contents: readonly NewContent[]): Promise<void> {
  if (contents.length === 0) return;
  const chunks = contents.flatMap(({ oid, chunks: of }) => of.map((chunk) => ({ oid, ...chunk })));
  await sql`with added as (
      insert into code_blobs (network, oid, bytes)
      select ${network}::bigint, c.oid, c.bytes
      from unnest(${contents.map(({ oid }) => oid)}::text[], ${contents.map(({ bytes }) => bytes)}::int[]) c (oid, bytes)
      on conflict (network, oid) do nothing
      returning id, oid)
    insert into code_chunks (blob_id, first_line, network, content, grams)
    select a.id, c.first_line, ${network}::bigint, c.content, c.grams
    from unnest(${chunks.map(({ oid }) => oid)}::text[], ${chunks.map(({ firstLine }) => firstLine)}::int[],
      ${chunks.map(({ text }) => text)}::text[], ${chunks.map(({ text }) => gramsOf(text))}::bytea[])
      c (oid, first_line, content, grams)
    join added a on a.oid = c.oid`.execute(db);
}

/** Gives texts that were stored without their bits some; false where none are left. */
export async function addGrams(db: Db, limit: number): Promise<boolean> {
  const { rows } = await sql<{ blob_id: number; first_line: number; content: string }>`
    select blob_id, first_line, content from code_chunks where grams is null limit ${limit}`.execute(db);
  if (rows.length === 0) return false;
  await sql`update code_chunks c set grams = g.grams
    from unnest(${rows.map((row) => row.blob_id)}::bigint[], ${rows.map((row) => row.first_line)}::int[],
      ${rows.map(({ content }) => gramsOf(content))}::bytea[]) g (blob_id, first_line, grams)
    where c.blob_id = g.blob_id and c.first_line = g.first_line`.execute(db);
  return rows.length === limit;
}

/** Every path of an index with the content it has. */
export async function indexedPaths(db: Db, id: number): Promise<Map<string, string>> {
  const { rows } = await sql<{ path: string; oid: string }>`select f.path, b.oid
    from code_files f join code_blobs b on b.id = f.blob_id where f.index_id = ${id}`.execute(db);
  return new Map(rows.map(({ path, oid }) => [path, oid]));
}

/** Paths written with one statement. */
const chunk = 2_000;

interface Amount {
  readonly files: number;
  readonly bytes: number;
  readonly skipped: number;
  readonly blobs: readonly number[];
}

/** How many of the paths are there, what they hold, and which contents these are. */
async function amountOf(tx: Db, id: number, paths: readonly string[]): Promise<Amount> {
  const { rows } = await sql<Amount>`select count(*)::int as files, coalesce(sum(b.bytes), 0) as bytes,
      count(*) filter (where b.bytes = 0)::int as skipped, coalesce(array_agg(distinct b.id), '{}') as blobs
    from code_files f join code_blobs b on b.id = f.blob_id
    where f.index_id = ${id} and f.path = any(${[...paths]}::text[])`.execute(tx);
  return rows[0] ?? { files: 0, bytes: 0, skipped: 0, blobs: [] };
}

/** Writes what changed, and removes contents that nothing has any more. */
export async function writePaths(
  tx: Db,
  { id, network }: Pick<CodeIndex, 'id' | 'network'>,
  written: readonly IndexedPath[],
  removed: readonly string[],
): Promise<void> {
  for (let at = 0; at < removed.length; at += chunk)
    await changePaths(tx, id, removed.slice(at, at + chunk), async () => undefined);
  for (let at = 0; at < written.length; at += chunk) {
    const part = written.slice(at, at + chunk);
    await changePaths(
      tx,
      id,
      part.map(({ path }) => path),
      async () => {
        await sql`insert into code_files (index_id, path, blob_id, language)
          select ${id}::bigint, c.path, b.id, c.language
          from unnest(${part.map(({ path }) => path)}::text[], ${part.map(({ oid }) => oid)}::text[],
            ${part.map(({ language }) => language)}::text[]) c (path, oid, language)
          join code_blobs b on b.network = ${network} and b.oid = c.oid
          on conflict (index_id, path) do nothing`.execute(tx);
      },
    );
  }
}

async function changePaths(tx: Db, id: number, paths: readonly string[], write: () => Promise<void>): Promise<void> {
  const before = await amountOf(tx, id, paths);
  if (before.files > 0)
    await sql`delete from code_files where index_id = ${id} and path = any(${[...paths]}::text[])`.execute(tx);
  await write();
  const after = await amountOf(tx, id, paths);
  await sql`update code_indexes set files = files + ${after.files - before.files}::int,
      bytes = bytes + ${after.bytes - before.bytes}::bigint, skipped = skipped + ${after.skipped - before.skipped}::int
    where id = ${id}`.execute(tx);
  if (before.blobs.length > 0)
    await sql`delete from code_blobs b where b.id = any(${[...before.blobs]}::bigint[])
      and not exists (select from code_files f where f.blob_id = b.id)`.execute(tx);
}

/** The paths are those of the commit from here on, and the history is that of `history`. */
export async function recordIndexed(
  tx: Db,
  id: number,
  of: {
    readonly commit: string | null;
    readonly branch: string | null;
    readonly generation: number;
    readonly history: string | null;
    readonly beyond: string | null;
  },
): Promise<void> {
  await tx
    .updateTable('code_indexes')
    .set({ ...of, state: 'ready', error: null, done: 0, total: 0, started_at: null, indexed_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}

/** Repositories whose index is not of what they are now; those that failed wait for the next push or an administrator. */
export async function staleIndexes(db: Db, limit: number): Promise<IndexOwner[]> {
  const stale = (of: 'p' | 'w', history = sql``) => {
    const row = sql.raw(of);
    return sql`${row}.refs_generation > 0 and (i.id is null or (i.state <> 'failed'
      and (i.generation <> ${row}.refs_generation or i.branch is distinct from ${row}.default_branch ${history})))`;
  };
  // A project that is no fork any more has all of its history to itself.
  const history = sql`or i.history is distinct from i.commit
    or (p.forked_from_project_id is null and i.beyond is not null)`;
  const { rows } = await sql<IndexOwner>`
    (select p.id as project_id, null::bigint as namespace_id, 'code' as kind from projects p
      left join code_indexes i on i.project_id = p.id and i.kind = 'code' where ${stale('p', history)} limit ${limit})
    union all
    (select w.project_id, w.namespace_id, 'wiki' as kind from wikis w
      left join code_indexes i on i.kind = 'wiki'
        and (i.project_id = w.project_id or i.namespace_id = w.namespace_id)
      where ${stale('w')} limit ${limit})`.execute(db);
  return rows;
}

/** Networks with contents that no path has. */
export async function networksWithOrphans(db: Db): Promise<number[]> {
  const { rows } = await sql<{ network: number }>`select distinct b.network from code_blobs b
    where not exists (select from code_files f where f.blob_id = b.id)`.execute(db);
  return rows.map(({ network }) => network);
}

/** Removes some contents of a network that no path has, unless its paths are being written; how many there were. */
export async function removeOrphans(db: Db, network: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from code_blobs where id in (
    select b.id from code_blobs b where b.network = ${network}
      and not exists (select from code_files f where f.blob_id = b.id)
      and not exists (select from code_indexes i where i.network = b.network and i.state = 'running')
    limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Indexes of a project or of a group; all where neither is named. */
export async function indexesOf(db: Db, of: Omit<IndexOwner, 'kind'>): Promise<CodeIndex[]> {
  const everything = of.project_id === null && of.namespace_id === null;
  const where = everything ? sql`true` : sql`(project_id = ${of.project_id} or namespace_id = ${of.namespace_id})`;
  const { rows } = await sql<CodeIndex>`select ${columns} from code_indexes where ${where} order by id`.execute(db);
  return rows;
}

/** Forgets what is indexed, so that it is read again; contents that forks have as well stay. */
export async function emptyIndex(tx: Db, { id, network }: Pick<CodeIndex, 'id' | 'network'>): Promise<void> {
  await sql`delete from code_files where index_id = ${id}`.execute(tx);
  await sql`delete from code_blobs b where b.network = ${network}
    and not exists (select from code_files f where f.blob_id = b.id)`.execute(tx);
  await sql`delete from code_commits where index_id = ${id}`.execute(tx);
  await tx
    .updateTable('code_indexes')
    .set({
      ...{
        commit: null,
        branch: null,
        generation: 0,
        history: null,
        beyond: null,
        files: 0,
        bytes: 0,
        skipped: 0,
        done: 0,
        total: 0,
      },
      ...{ state: 'pending', error: null, started_at: null },
    })
    .where('id', '=', id)
    .execute();
}

interface Unfinished {
  readonly project_id: number | null;
  readonly group_id: number | null;
  readonly project_path: string;
  readonly kind: IndexKind;
  readonly state: 'pending' | 'running' | 'failed' | 'ready';
  readonly done: number;
  readonly total: number;
  readonly error: string | null;
  readonly started_at: Date | null;
}

const shownUnfinished = 20;

/** All indexes together, and those that are not ready. */
export async function indexesOverview(db: Db) {
  const [counts, unfinished] = await Promise.all([
    sql<{ repositories: number; ready: number; failed: number; files: number; bytes: number }>`
      select count(*)::int as repositories, count(*) filter (where state = 'ready')::int as ready,
        count(*) filter (where state = 'failed')::int as failed,
        coalesce(sum(files), 0)::bigint as files, coalesce(sum(bytes), 0)::bigint as bytes from code_indexes`.execute(
      db,
    ),
    sql<Unfinished>`select i.project_id, i.namespace_id as group_id,
        coalesce(n.full_path || '/' || p.path, n.full_path) as project_path,
        i.kind, i.state, i.done, i.total, i.error, i.started_at
      from code_indexes i left join projects p on p.id = i.project_id
        join namespaces n on n.id = coalesce(p.namespace_id, i.namespace_id)
      where i.state <> 'ready' order by i.state = 'running' desc, i.state = 'failed' desc, i.id
      limit ${shownUnfinished}`.execute(db),
  ]);
  const [all] = counts.rows;
  return { ...(all ?? { repositories: 0, ready: 0, failed: 0, files: 0, bytes: 0 }), unfinished: unfinished.rows };
}
