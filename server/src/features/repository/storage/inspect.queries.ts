/** What the database says is in the storages: repositories of projects, wikis and snippets, writes that nobody settled, objects. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Owner } from '../writes/writes.queries.ts';

export interface RepositoryPlace {
  /** Which column of intents names it. */
  readonly owner: Owner;
  readonly id: number;
  /** For people: `group/project`, `wiki 7` or `snippet 7`. */
  readonly name: string;
  readonly repository_storage: string;
  readonly repository_path: string;
  readonly default_branch: string | null;
}

const batch = 500;

/** All repositories, in batches. */
export async function* repositoryPlaces(db: Db): AsyncGenerator<readonly RepositoryPlace[]> {
  const projects = (after: number) =>
    db
      .selectFrom('projects')
      .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
      .select([
        'projects.id',
        'projects.repository_storage',
        'projects.repository_path',
        'projects.default_branch',
        sql<string>`namespaces.full_path || '/' || projects.path`.as('name'),
      ])
      .where('projects.id', '>', after)
      .orderBy('projects.id')
      .limit(batch)
      .execute();
  const others = (table: 'wikis' | 'snippets', noun: string) => (after: number) =>
    db
      .selectFrom(table)
      .select([
        'id',
        'repository_storage',
        'repository_path',
        'default_branch',
        sql<string>`${`${noun} `}::text || id`.as('name'),
      ])
      .where('id', '>', after)
      .orderBy('id')
      .limit(batch)
      .execute();
  const kinds = [
    ['project_id', projects],
    ['wiki_id', others('wikis', 'wiki')],
    ['snippet_id', others('snippets', 'snippet')],
  ] as const;
  for (const [owner, page] of kinds)
    for (let after = 0, rows = await page(after); rows.length > 0; rows = await page(after)) {
      yield rows.map((row) => ({ ...row, owner }));
      after = rows.at(-1)?.id ?? after;
    }
}

/** Writes that have been open for longer than `minutes`. */
export async function unsettled(db: Db, minutes: number): Promise<readonly { name: string; since: Date }[]> {
  const rows = await db
    .selectFrom('repository_intents')
    .leftJoin('projects', 'projects.id', 'repository_intents.project_id')
    .leftJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select((of) => [
      sql<string>`coalesce(namespaces.full_path || '/' || projects.path, 'wiki ' || repository_intents.wiki_id,
        'snippet ' || repository_intents.snippet_id)`.as('name'),
      of.fn.min('repository_intents.created_at').as('since'),
    ])
    .where('repository_intents.state', '=', 'open')
    .where('repository_intents.created_at', '<', sql<Date>`now() - make_interval(mins => ${minutes})`)
    .groupBy(sql`1`)
    .orderBy(sql`1`)
    .execute();
  return rows.map(({ name, since }) => ({ name, since: new Date(since) }));
}

export interface NamedObject {
  readonly key: string;
  readonly name: string;
}

/** Every object that a row names, in batches. */
export async function* namedObjects(db: Db): AsyncGenerator<readonly NamedObject[]> {
  const sources = [
    ['lfs_objects', 'object_key', 'LFS object'],
    ['job_artifacts', 'object_key', 'artifact'],
    ['jobs', 'trace_object_key', 'log of job'],
    ['project_uploads', 'object_key', 'upload of a project'],
    ['group_uploads', 'object_key', 'upload of a group'],
    ['package_files', 'object_key', 'file of a package'],
    ['users', 'avatar_object_key', 'avatar of user'],
    ['namespaces', 'avatar_object_key', 'avatar of group'],
    ['projects', 'avatar_object_key', 'avatar of project'],
    ['topics', 'avatar_object_key', 'avatar of topic'],
    ['appearances', 'logo', 'logo of the sign-in page'],
    ['appearances', 'header_logo', 'logo of the navigation bar'],
    ['appearances', 'favicon', 'favicon'],
    ['appearances', 'pwa_icon', 'icon of the web app'],
  ] as const;
  for (const [table, column, what] of sources)
    for (let after = 0; ; ) {
      const { rows } = await sql<{ id: number; key: string }>`
        select id, split_part(${sql.ref(column)}, '/', 1) as key from ${sql.table(table)}
        where id > ${after} and ${sql.ref(column)} is not null order by id limit ${batch}`.execute(db);
      if (rows.length > 0) yield rows.map(({ id, key }) => ({ key, name: `${what} ${id}` }));
      if (rows.length < batch) break;
      after = rows.at(-1)?.id ?? after;
    }
  yield* namedLogPieces(db);
}

/** Pieces of logs that grow. */
async function* namedLogPieces(db: Db): AsyncGenerator<readonly NamedObject[]> {
  for (let job = 0, start = 0; ; ) {
    const { rows } = await sql<{ job_id: number; start_byte: number; object_key: string }>`
      select job_id, start_byte, object_key from job_trace_chunks
      where (job_id, start_byte) > (${job}, ${start}) and object_key is not null
      order by job_id, start_byte limit ${batch}`.execute(db);
    if (rows.length > 0)
      yield rows.map(({ job_id, start_byte, object_key }) => ({
        key: object_key,
        name: `log of job ${job_id} from byte ${start_byte} on`,
      }));
    const last = rows.at(-1);
    if (!last || rows.length < batch) return;
    job = last.job_id;
    start = last.start_byte;
  }
}
