/** Archives hold everything that belongs to a project: every table is in them or is left out for a reason, and what comes in goes out again the same. Slow, sampled: fills, exports and imports whole projects. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../../../../test/app.ts';
import { archivedTables, leftOutTables } from '../../../../test/archived-tables.ts';
import { eventually } from '../../../../test/ci.ts';
import type { BuiltToken } from '../../../../test/factories.ts';
import { archiveWorld, opened } from '../../../../test/project-archives.ts';
import type { Json, RepositoryProject } from '../../../../test/repositories.ts';
import { fillProject } from '../../../../test/whole-project.ts';

const world = archiveWorld();
let app: TestApp;
let admin: BuiltToken;
let source: RepositoryProject;
beforeAll(async () => {
  ({ app, admin, source } = await world.start());
});
afterAll(() => world.close());

/** Tables whose rows go with a project, by the columns that lead to it. */
async function tablesOfProjects() {
  const { rows } = await sql<{ name: string; column: string; parent: string }>`
    with recursive below (id) as (
      select 'projects'::regclass::oid
      union select c.conrelid from pg_constraint c join below b on b.id = c.confrelid
        where c.contype = 'f' and c.confdeltype = 'c')
    select c.conrelid::regclass::text as name, a.attname as column, c.confrelid::regclass::text as parent
    from pg_constraint c join below b on b.id = c.confrelid
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'f' and c.confdeltype = 'c' and cardinality(c.conkey) = 1 and c.conrelid <> c.confrelid
    order by 1, 2`.execute(app.db);
  return rows;
}

it('every table that belongs to projects is in archives, or is left out for a reason', async () => {
  const names = [...new Set((await tablesOfProjects()).map(({ name }) => name))];
  const known = [...Object.keys(archivedTables), ...Object.keys(leftOutTables)];
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => !names.includes(name))).toEqual([]);
  expect(Object.keys(archivedTables).filter((name) => name in leftOutTables)).toEqual([]);
});

/** How many rows of each table that archives hold a project has. */
async function countsOf(projectId: number): Promise<Record<string, number>> {
  const links = await tablesOfProjects();
  const within = (name: string, seen: readonly string[]): ReturnType<typeof sql> | null => {
    const ways = links
      .filter((link) => link.name === name && !seen.includes(link.parent))
      .flatMap(({ column, parent }) => {
        if (parent === 'projects') return [sql`${sql.ref(column)} = ${projectId}`];
        const above = within(parent, [...seen, name]);
        return above === null ? [] : [sql`${sql.ref(column)} in (select id from ${sql.table(parent)} where ${above})`];
      });
    return ways.length === 0 ? null : sql`(${sql.join(ways, sql` or `)})`;
  };
  const found: Record<string, number> = {};
  for (const name of Object.keys(archivedTables)) {
    const where = within(name, []);
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(name)} where ${where ?? sql`false`}`.execute(app.db);
    found[name] = rows[0]?.count ?? 0;
  }
  return found;
}

/** Lines of relations; threads, whose ids are of a project, by their order. */
const relationsOf = async (file: Buffer) =>
  Object.fromEntries(
    [...(await opened(file))]
      .filter(([name]) => name.startsWith('relations/'))
      .map(([name, content]) => {
        const threads: string[] = [];
        const lines = content.toString('utf8').trimEnd();
        const named = lines.replace(/"discussion_id":"([0-9a-f]{40})"/g, (_, id: string) => {
          if (!threads.includes(id)) threads.push(id);
          return `"discussion_id":${threads.indexOf(id)}`;
        });
        return [name, named.split('\n')];
      }),
  );

/** Exports as an administrator, who sees all of it. */
const exportedByAdmin = (id: number) =>
  world.exported({
    ...source,
    ...{ id, owner: admin },
    api: (method, path, parts = {}) => app.api(method, `/projects/${id}${path}`, { ...parts, token: admin.secret }),
  });

/** An object of Git LFS that the storage has lost, and a webhook with a secret in its address. */
const staysBehind: Readonly<Record<string, number>> = { lfs_object_links: 1, web_hooks: 1 };

it.each([1, 2])(
  'what a project has comes back as it was, and goes out again the same, of seed %i',
  async (seed) => {
    await fillProject(app, { source, seed });
    await eventually('evidence of the release', async () => {
      const { body } = await source.api<Json>('GET', '/releases/v1');
      return (body.evidences as Json[]).length > seed;
    });
    const archive = await exportedByAdmin(source.id);
    const status = await world.imported(archive, { namespace: source.owner.user.username }, admin);
    expect(status).toMatchObject({ import_status: 'finished', failed_relations: [] });
    const before = await countsOf(source.id);
    expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([]);
    for (const [name, count] of Object.entries(staysBehind)) before[name] = (before[name] ?? 0) - count;
    expect(await countsOf(Number(status.id))).toEqual(before);
    const [first, second] = [await relationsOf(archive), await relationsOf(await exportedByAdmin(Number(status.id)))];
    for (const [name, lines] of Object.entries(first)) expect([name, second[name]]).toEqual([name, lines]);
  },
  60_000,
);

it('versions of changes that no branch has any more open after an import, with the comments on them', async () => {
  const [archive, request] = [await exportedByAdmin(source.id), '/merge_requests/1'];
  const status = await world.imported(archive, { namespace: source.owner.user.username }, admin);
  const ask = async <T = Json>(id: unknown, path: string) => {
    const answer = await app.api<T>('GET', `/projects/${String(id)}${request}${path}`, { token: admin.secret });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.body;
  };
  const versionsOf = async (id: unknown) => {
    const found = [];
    for (const { id: version } of await ask<Json[]>(id, '/versions')) {
      const { head_commit_sha, commits, diffs } = await ask(id, `/versions/${String(version)}`);
      found.push({ head_commit_sha, commits: (commits as Json[]).map((commit) => commit.id), diffs });
    }
    return found;
  };
  const before = await versionsOf(source.id);
  expect(before.length).toBeGreaterThan(1);
  expect(await versionsOf(status.id)).toEqual(before);
  const oldest = before.at(-1);
  const notes = (await ask<Json[]>(status.id, '/discussions')).flatMap((thread) => thread.notes as Json[]);
  const onOld = notes.find(({ body }) => String(body).includes('On a line, 1'));
  expect(onOld).toMatchObject({ type: 'DiffNote', original_position: { head_sha: oldest?.head_commit_sha } });
});

it('pipelines that were imported are history: nothing of them runs again', async () => {
  const project = await app.db
    .selectFrom('pipelines')
    .select(['project_id', 'id'])
    .where('imported', '=', true)
    .where('source', '=', 'push')
    .executeTakeFirstOrThrow();
  const at = `/projects/${project.project_id}`;
  const ask = (method: 'GET' | 'POST', path: string) => app.api<Json>(method, `${at}${path}`, { token: admin.secret });
  const one = `/pipelines/${project.id}`;
  expect((await ask('GET', one)).body).toMatchObject({ archived: true, warnings: [{ message: 'a warning' }] });
  const { body } = await ask('GET', `${one}/jobs`);
  const [job] = body as unknown as Json[];
  expect(job).toMatchObject({ archived: true, runner: null, artifacts: [], tag_list: ['linux'] });
  expect((await ask('POST', `/jobs/${String(job?.id)}/retry`)).status).toBe(403);
  expect((await ask('POST', `${one}/retry`)).status).toBe(403);
  expect((await ask('GET', one)).body.status).not.toBe('pending');
});
