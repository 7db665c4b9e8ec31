/** Moving trees of groups: everything below follows, at once, and never into itself. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildProject, buildToken } from '../../../../test/factories.ts';
import { plansOf, seed } from '../../../../test/plans.queries.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';
import { insertNamespace } from '../groups/groups.queries.ts';
import { ancestorLimit, type Move, moveNamespace } from './hierarchy.queries.ts';
import { findGroupSubject } from './parents.queries.ts';

let app: TestApp;
let ann: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  ann = await buildToken(app);
});
afterAll(() => app.close());

const move = (id: number, to: Move) => transaction(app.db, (tx) => moveNamespace(tx, id, to));
const placeOf = async (id: number) => {
  const row = await app.db.selectFrom('namespaces').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return { full_path: row.full_path, full_name: row.full_name, traversal_ids: row.traversal_ids };
};

async function chain(length: number): Promise<Namespace[]> {
  const made: Namespace[] = [];
  for (let at = 0; at < length; at += 1) {
    const parent = made.at(-1);
    made.push(await buildGroup(app, parent ? { parent } : { owner: ann.user }));
  }
  return made;
}
const first = (groups: readonly Namespace[]): Namespace => {
  const [group] = groups;
  if (!group) throw new Error('no group');
  return group;
};

test('[3/fields.group/1] a moved group takes what is below it along; members above lose and gain', async () => {
  const [old, top, mid] = (await chain(3)) as [Namespace, Namespace, Namespace];
  const other = await buildGroup(app);
  const project: Project = await buildProject(app, { namespace: mid });
  const read = (target: string) => app.api<{ id: number }>('GET', target, { token: ann.secret });
  expect((await read(`/projects/${project.id}`)).status).toBe(200);
  expect(await move(top.id, { parentId: other.id })).toMatchObject({ id: top.id, parent_id: other.id });
  expect(await placeOf(mid.id)).toEqual({
    full_path: `${other.path}/${top.path}/${mid.path}`,
    full_name: `${other.name} / ${top.name} / ${mid.name}`,
    traversal_ids: [other.id, top.id, mid.id],
  });
  expect(await placeOf(old.id)).toMatchObject({ traversal_ids: [old.id] });
  expect((await read(`/projects/${project.id}`)).status).toBe(404);
  await move(top.id, { parentId: null, path: 'renamed-top', name: 'Renamed' });
  expect(await placeOf(mid.id)).toEqual({
    full_path: `renamed-top/${mid.path}`,
    full_name: `Renamed / ${mid.name}`,
    traversal_ids: [top.id, mid.id],
  });
  expect((await findGroupSubject(app.db, `Renamed-TOP/${mid.path}`, null))?.group.id).toBe(mid.id);
  await move(top.id, { parentId: old.id });
  expect((await read(`/projects/${project.id}`)).status).toBe(200);
});

test('no group goes inside itself, below another that is too deep, or where the path is taken', async () => {
  const deep = await chain(ancestorLimit + 1);
  const bottom = deep.at(-1) as Namespace;
  const top = first(deep);
  const lone = await buildGroup(app);
  expect(await move(top.id, { parentId: top.id })).toBe('inside itself');
  expect(await move(top.id, { parentId: bottom.id })).toBe('inside itself');
  expect(await move(lone.id, { parentId: bottom.id })).toBe('too deep');
  expect(await move(top.id, { parentId: lone.id })).toBe('too deep');
  expect(await move(lone.id, { parentId: 999_999 })).toBe('missing');
  expect(await move(999_999, { parentId: lone.id })).toBe('missing');
  expect(await move(lone.id, { parentId: (deep.at(-2) as Namespace).id })).toMatchObject({ id: lone.id });
  const twin = await buildGroup(app);
  await expect(move(twin.id, { path: top.path.toUpperCase() })).rejects.toThrow('namespaces_place_key');
  await expect(buildGroup(app, { parent: bottom })).rejects.toThrow('namespaces_depth');
});

test('two moves at once never make a ring, and a group made during a move is at its new place', {
  retry: 0,
}, async () => {
  const [one, two] = [await buildGroup(app), await buildGroup(app)];
  const answers = await Promise.all([move(one.id, { parentId: two.id }), move(two.id, { parentId: one.id })]);
  expect(answers.filter((answer) => answer === 'inside itself')).toHaveLength(1);
  const made = await Promise.all([
    move(one.id, { path: 'moved-while-growing' }),
    ...Array.from({ length: 4 }, (_, at) =>
      transaction(app.db, (tx) =>
        insertNamespace(tx, { kind: 'group', name: `child ${at}`, path: `child-${at}`, visibility: 'private' }, one),
      ),
    ),
  ]);
  const now = await placeOf(one.id);
  for (const child of made.slice(1) as Namespace[])
    expect(await placeOf(child.id)).toMatchObject({
      full_path: `${now.full_path}/${child.path}`,
      traversal_ids: [...now.traversal_ids, child.id],
    });
});

test('what is below a moved group is rewritten in its place: no index of it changes', async () => {
  await seed(
    app.database,
    `do $$ begin
      if exists (select from pg_indexes where tablename = 'namespaces' and indexdef ~ '(full_path|full_name|traversal_ids)')
      then raise exception 'an index has what a move changes'; end if;
    end $$`,
  );
  const plans = await plansOf(app.database, (db) => findGroupSubject(db, 'renamed-top/x', ann.user.id));
  for (const plan of plans) expect(plan).not.toContain('Seq Scan on namespaces');
});
