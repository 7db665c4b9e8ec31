/** What a search finds in the index of code: lines by their trigrams, only of repositories that the caller may read. */
import { sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { containing, type Db, soughtGrams, trigramsWithin } from '../../../kernel/db/index.ts';
import { abilityScope, allOf, below, groupContentScope, type Sql, withTables } from '../../namespaces/index.ts';
import type { FileFilter } from './filters.ts';

export type CodeKind = 'code' | 'wiki';

/** Which repositories are searched. */
export interface CodeScope {
  readonly caller: Caller;
  readonly kind: CodeKind;
  readonly place: { readonly projectId: number } | { readonly groupId: number } | null;
  /** Of a group, or of everything: forks have mostly what their source has. */
  readonly forks: boolean;
  /** Of a group, or of everything: projects that nobody changes any more. */
  readonly archived: boolean;
}

export interface CodeQuery {
  /** A line holds all texts of one of these; none: any line. */
  readonly texts: ReadonlyArray<readonly string[]>;
  readonly cased: boolean;
  readonly filters: readonly FileFilter[];
}

/** Lines that may hold what is looked for. */
export interface FoundChunk {
  readonly index_id: number;
  /** Null in the wiki of a group. */
  readonly project_id: number | null;
  readonly group_id: number | null;
  /** Full path of the project or group. */
  readonly project_path: string;
  readonly branch: string;
  readonly path: string;
  readonly language: string | null;
  readonly blob_id: number;
  /** Of the chunk; null for a file that is found by its path. */
  readonly first_line: number | null;
}
export type FoundLinesChunk = FoundChunk & { readonly first_line: number };

/** Where so few networks are searched, they narrow the search in the index of texts; more would cost more than it saves. */
const fewNetworks = 64;

/** Wikis of groups. */
function groupWikis({ caller, place, archived }: CodeScope): { readonly seen: Sql; readonly tables: Sql | null } {
  const scope = groupContentScope(caller, { wiki: true });
  const where = [
    sql`i.kind = 'wiki'`,
    sql`i.commit is not null`,
    ...(archived ? [] : [sql`not n.archived`]),
    ...(place !== null && 'groupId' in place ? [sql`n.id in ${below(place.groupId)}`] : []),
    scope.condition,
  ];
  return {
    tables: scope.tables,
    seen: sql`select i.id, i.network, i.branch, null::bigint as project_id, n.id as group_id, n.full_path as project_path
      from code_indexes i join namespaces n on n.id = i.namespace_id where ${allOf(where)}`,
  };
}

function scopeOf(of: CodeScope): { readonly seen: Sql; readonly tables: Sql | null } {
  const { caller, kind, place, forks, archived } = of;
  const scope = abilityScope(caller, kind === 'code' ? 'read_code' : 'read_wiki');
  const inProject = place !== null && 'projectId' in place;
  const where = [
    sql`i.kind = ${kind}`,
    sql`i.commit is not null`,
    ...(inProject ? [sql`p.id = ${place.projectId}`] : archived ? [] : [sql`not p.archived`]),
    ...(place !== null && 'groupId' in place ? [sql`p.namespace_id in ${below(place.groupId)}`] : []),
    ...(inProject || forks ? [] : [sql`p.forked_from_project_id is null`]),
    scope.condition,
  ];
  const seen = sql`select i.id, i.network, i.branch, p.id as project_id, null::bigint as group_id,
        n.full_path || '/' || p.path as project_path
      from code_indexes i join projects p on p.id = i.project_id join namespaces n on n.id = p.namespace_id
      where ${allOf(where)}`;
  if (kind === 'code' || inProject) return { tables: scope.tables, seen };
  const groups = groupWikis(of);
  // Both are made of the same tables of the caller's access, where they need any.
  return { tables: scope.tables ?? groups.tables, seen: sql`${seen} union all ${groups.seen}` };
}

const either = (conditions: readonly Sql[]) => sql<boolean>`(${sql.join(conditions, sql` or `)})`;

const globbed = (glob: string) => glob.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');
const lastPart = sql`substring(f.path from '[^/]*$')`;

/** Names whose end matches. The index of paths helps, and without a star it decides: the end of a path is that of its name. */
function named(end: string, glob: string): Sql {
  const pathEnds = sql`f.path ilike ${end}`;
  return /[*/]/.test(glob) ? sql`(${pathEnds} and ${lastPart} ilike ${end})` : pathEnds;
}

function filtered({ kind, glob, negated }: FileFilter): Sql {
  const condition = {
    filename: () => named(`%${globbed(glob)}`, glob),
    extension: () => named(`%.${globbed(glob)}`, glob),
    path: () => sql`f.path ilike ${`%${globbed(glob)}%`}`,
    language: () => sql`coalesce(f.language ilike ${globbed(glob)}, false)`,
    blob: () => sql`f.blob_id in (select b.id from code_blobs b where b.oid ilike ${`${globbed(glob)}%`})`,
  }[kind]();
  return negated ? sql`not (${condition})` : condition;
}

/** At most so many networks as narrow a search; null where there are more. */
async function networksOf(db: Db, scope: CodeScope): Promise<readonly number[] | null> {
  const { seen, tables } = scopeOf(scope);
  const { rows } = await sql<{ network: number }>`${withTables(tables)}
    select distinct s.network from (${seen}) s limit ${fewNetworks + 1}`.execute(db);
  return rows.length > fewNetworks ? null : rows.map(({ network }) => network);
}

/**
 * Chunks that hold the texts of one of the alternatives. The index has their trigrams; it alone decides on these, so that no
 * chunk is read for them. What it finds is passed over by the bits beside the text, before the text itself is read.
 */
function holding({ texts, cased }: Pick<CodeQuery, 'texts' | 'cased'>): {
  readonly trigrams: Sql | null;
  readonly text: Sql | null;
} {
  if (texts.length === 0) return { trigrams: null, text: null };
  const operator = cased ? sql`like` : sql`ilike`;
  const trigrams = texts.map((all) => [...new Set(all.flatMap(trigramsWithin))]);
  const held = texts.map((all) => {
    const grams = all.flatMap(soughtGrams);
    const whole = allOf(all.map((text) => sql`c.content ${operator} ${containing(text)}`));
    if (grams.length === 0) return whole;
    const has = allOf(
      grams.map((gram) => sql`get_bit(c.grams, (${sql.raw(String(gram))} % (8 * octet_length(c.grams)))) = 1`),
    );
    // In this order: conditions beside each other may be tried in any.
    return sql`case when c.grams is null or (${has}) then ${whole} else false end`;
  });
  const narrows = trigrams.every(({ length }) => length > 0);
  return {
    trigrams: narrows ? either(trigrams.map((each) => sql`show_trgm(c.content) @> ${each}::text[]`)) : null,
    text: either(held),
  };
}

/** Where filters leave so few files, these lead, whatever is looked for in them: a frequent word of a rare language. */
const fewFiles = 5_000;

/** Contents of the files that filters leave; null where there are no filters that narrow, or too many files. */
async function contentsOf(db: Db, filters: readonly FileFilter[]): Promise<readonly number[] | null> {
  const narrowing = filters.filter(({ negated }) => !negated);
  if (narrowing.length === 0) return null;
  const { rows } = await sql<{ blob_id: number }>`select f.blob_id from code_files f
    where ${allOf(narrowing.map(filtered))} limit ${fewFiles + 1}`.execute(db);
  return rows.length > fewFiles ? null : [...new Set(rows.map(({ blob_id }) => blob_id))].sort((a, b) => a - b);
}

/** Longest run of one search, and rows that are taken at a time. */
const longestMilliseconds = 8_000;
const mostAtOnce = 100;

export interface FoundBatch {
  readonly rows: readonly FoundLinesChunk[];
  /** The connection that the search has anyway: whoever reads more for its rows takes no other one. */
  readonly tx: Db;
}

/**
 * Lines that hold the texts, as they lie in the index, `atOnce` at a time: the same search finds them in the same order.
 * Ending the walk early ends the query. It has a connection for itself until then.
 */
export async function* chunksWith(
  db: Db,
  scope: CodeScope,
  query: CodeQuery,
  most: number,
): AsyncGenerator<FoundBatch> {
  const atOnce = Math.min(most, mostAtOnce);
  const networks = await networksOf(db, scope);
  if (networks?.length === 0) return;
  const contents = await contentsOf(db, query.filters);
  if (contents?.length === 0) return;
  const { seen, tables } = scopeOf(scope);
  const { trigrams, text } = holding(query);
  const texts = [
    ...(contents === null ? [] : [sql`c.blob_id = any(${[...contents]}::bigint[])`]),
    ...(contents !== null || trigrams === null ? [] : [trigrams]),
    ...(text === null ? [] : [text]),
    ...(contents !== null || networks === null ? [] : [sql`array[c.network] && ${[...networks]}::bigint[]`]),
  ];
  const tx = await db.startTransaction().execute();
  try {
    // Rows come in the order in which they lie, by one process.
    await sql`set local synchronize_seqscans = off`.execute(tx);
    await sql`set local max_parallel_workers_per_gather = 0`.execute(tx);
    await sql`set local jit = off`.execute(tx);
    // Room for every chunk that the index finds: where it is short of room, whole pages are looked through.
    await sql`set local work_mem = '32MB'`.execute(tx);
    // Making the trigrams of every text costs far more than PostgreSQL thinks.
    if (trigrams !== null || contents !== null) await sql`set local enable_seqscan = off`.execute(tx);
    // The index of texts leads, whatever PostgreSQL thinks of its selectivity.
    await sql`declare found_chunks no scroll cursor for
      ${withTables(tables, sql`seen as materialized (${seen})`)}
      select f.*, c.first_line
      from (select c.blob_id, c.first_line from code_chunks c where ${allOf(texts)} offset 0) c
      join lateral (select f.index_id, s.project_id, s.group_id, s.project_path, s.branch, f.path, f.language, f.blob_id
        from code_files f join seen s on s.id = f.index_id
        where ${allOf([sql`f.blob_id = c.blob_id`, ...query.filters.map(filtered)])} offset 0) f on true`.execute(tx);
    const until = Date.now() + longestMilliseconds;
    for (;;) {
      // Whoever reads the rows may have taken their time.
      const left = Math.max(1, until - Date.now());
      await sql`set local statement_timeout = ${sql.raw(String(left))}`.execute(tx);
      const { rows } = await sql<FoundLinesChunk>`fetch ${sql.raw(String(atOnce))} from found_chunks`.execute(tx);
      yield { rows, tx };
      if (rows.length < atOnce) break;
    }
  } finally {
    await tx
      .rollback()
      .execute()
      .catch(() => undefined);
  }
}

/** Files whose path holds a text. */
export async function filesNamed(
  db: Db,
  scope: CodeScope,
  { text, cased, filters }: { readonly text: string; readonly cased: boolean; readonly filters: readonly FileFilter[] },
  limit: number,
): Promise<FoundChunk[]> {
  const { seen, tables } = scopeOf(scope);
  const operator = cased ? sql`like` : sql`ilike`;
  const where = [...(text === '' ? [] : [sql`f.path ${operator} ${containing(text)}`]), ...filters.map(filtered)];
  const { rows } = await sql<FoundChunk>`${withTables(tables, sql`seen as materialized (${seen})`)}
    select f.index_id, s.project_id, s.group_id, s.project_path, s.branch, f.path, f.language, f.blob_id, null as first_line
    from code_files f join seen s on s.id = f.index_id where ${allOf(where)} limit ${limit}`.execute(db);
  return rows;
}

/** The lines of chunks alone, in the order of the chunks; null for one that a push took away. */
export async function contentsOfChunks(db: Db, chunks: readonly FoundLinesChunk[]): Promise<(string | null)[]> {
  const { rows } = await sql<{ content: string | null }>`select c.content
    from unnest(${chunks.map((chunk) => chunk.blob_id)}::bigint[], ${chunks.map((chunk) => chunk.first_line)}::int[])
      with ordinality w (blob_id, first_line, place)
    left join code_chunks c on c.blob_id = w.blob_id and c.first_line = w.first_line
    order by w.place`.execute(db);
  return rows.map(({ content }) => content);
}

export interface ChunkText {
  readonly blob_id: number;
  readonly first_line: number;
  readonly content: string;
  /** The chunks before and behind it; null at the ends of a file. */
  readonly before: string | null;
  readonly behind: string | null;
}

/** The lines of chunks, with those around them, in the order of the chunks. */
export async function chunkTexts(
  db: Db,
  chunks: ReadonlyArray<{ readonly blob_id: number; readonly first_line: number }>,
): Promise<ChunkText[]> {
  const { rows } = await sql<ChunkText>`select c.blob_id, c.first_line, c.content,
      (select b.content from code_chunks b where b.blob_id = c.blob_id and b.first_line < c.first_line
        order by b.first_line desc limit 1) as before,
      (select b.content from code_chunks b where b.blob_id = c.blob_id and b.first_line > c.first_line
        order by b.first_line limit 1) as behind
    from unnest(${chunks.map((chunk) => chunk.blob_id)}::bigint[], ${chunks.map((chunk) => chunk.first_line)}::int[])
      with ordinality w (blob_id, first_line, place)
    join code_chunks c on c.blob_id = w.blob_id and c.first_line = w.first_line
    order by w.place`.execute(db);
  return rows;
}

/** The first lines of a file; empty where nothing of it is searched. */
export async function beginningOf(db: Db, blobId: number): Promise<string> {
  const { rows } = await sql<{ content: string }>`select content from code_chunks
    where blob_id = ${blobId} and first_line = 1`.execute(db);
  return rows[0]?.content ?? '';
}

/** The commit that the index of a project is of; null before the first time. */
export async function indexedCommit(db: Db, projectId: number, kind: CodeKind): Promise<string | null> {
  const row = await db
    .selectFrom('code_indexes')
    .select('commit')
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .executeTakeFirst();
  return row?.commit ?? null;
}
