/** Transfers over HTTP from another instance of the product, which the test starts. Slow, sampled: two applications with their background work. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildAdmin, buildGroup, buildToken, buildUser, unique } from '../../../../test/factories.ts';
import { picture } from '../../../../test/project-archives.ts';
import { closeServed, served } from '../../../../test/providers.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { transaction } from '../../../kernel/db/index.ts';
import { insertEntities, type NewEntity } from './bulk-imports.queries.ts';

let there: TestApp;
let here: TestApp;
let owner: BuiltToken;
let admin: BuiltToken;
let person: BuiltToken;
let company: { id: number; full_path: string };
let source: RepositoryProject;

async function filled(): Promise<void> {
  owner = await buildToken(there);
  company = await buildGroup(there, { owner: owner.user, visibility: 'internal' });
  const ask = async (method: 'GET' | 'POST' | 'PUT', path: string, json?: Json) => {
    const answer = await there.api<Json>(method, path, { token: owner.secret, ...(json ? { json } : {}) });
    expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer.body;
  };
  const below = await ask('POST', '/groups', {
    name: 'Core team',
    path: 'core',
    parent_id: company.id,
    visibility: 'internal',
  });
  await ask('POST', `/groups/${company.id}/labels`, { name: 'urgent', color: '#ff0000', description: 'Now' });
  await ask('POST', `/groups/${company.id}/milestones`, { title: 'Spring', due_date: '2030-04-01' });
  const epic = await ask('POST', `/groups/${company.id}/epics`, { title: 'Above', labels: 'urgent' });
  await ask('POST', `/groups/${company.id}/epics`, { title: 'Below', parent_id: epic.id });
  await ask('POST', `/groups/${company.id}/epics/1/notes`, { body: 'Soon' });
  await ask('POST', `/groups/${company.id}/boards`, { name: 'Company board' });
  await ask('POST', `/groups/${company.id}/badges`, {
    link_url: 'https://x.example',
    image_url: 'https://x.example/i',
  });
  await ask('POST', `/groups/${company.id}/iterations`, {
    ...{ title: 'Sprint', start_date: '2030-03-04', due_date: '2030-03-17' },
  });
  const member = await buildUser(there, { username: 'carol' });
  await ask('POST', `/groups/${company.id}/members`, { user_id: member.id, access_level: 30 });
  source = await buildRepositoryProject(there, {
    owner,
    settings: { namespace_id: Number(below.id), visibility: 'internal' },
    files: { 'README.md': '# Tool\n' },
  });
  await source.commit('topic', { 'b.txt': '2\n' }, { start_branch: 'main' });
  const at = `/projects/${source.id}`;
  await ask('PUT', at, { description: 'A tool' });
  await ask('POST', `${at}/labels`, { name: 'bug', color: '#00ff00' });
  // A rank of a label of the group alone, and columns in an order of their own.
  await ask('POST', `/groups/${company.id}/labels`, { name: 'ranked', color: '#0000ff' });
  await ask('PUT', `${at}/labels/urgent`, { priority: 2 });
  await ask('PUT', `${at}/labels/ranked`, { priority: 1 });
  const ids = new Map(
    ((await ask('GET', `${at}/labels`)) as unknown as Json[]).map(({ name, id }) => [String(name), Number(id)]),
  );
  const board = await ask('POST', `${at}/boards`, { name: 'Work' });
  for (const name of ['urgent', 'bug', 'ranked'])
    await ask('POST', `${at}/boards/${board.id}/lists`, { label_id: Number(ids.get(name)) });
  const lists = (await ask('GET', `${at}/boards/${board.id}/lists`)) as unknown as Json[];
  await ask('PUT', `${at}/boards/${board.id}/lists/${lists[2]?.id}`, { position: 0 });
  await ask('POST', `${at}/issues`, { title: 'It breaks', labels: 'bug,urgent' });
  await ask('POST', `${at}/issues/1/notes`, { body: 'Seen too' });
  const snippet = await ask('POST', `${at}/snippets`, {
    ...{ title: 'Handy', visibility: 'internal' },
    files: [{ file_path: 'a.sh', content: 'echo 1\n' }],
  });
  await ask('PUT', `${at}/snippets/${snippet.id}`, {
    files: [{ action: 'create', file_path: 'b.sh', content: 'echo 2\n' }],
  });
  await ask('POST', `${at}/snippets/${snippet.id}/notes`, { body: 'Use it' });
  await ask('POST', `${at}/issues`, { title: 'Down', issue_type: 'incident' });
  await sent('POST', `${at}/issues/2/metric_images`, 'file', 'load.png', picture, { url_text: 'Load' });
  await ask('POST', `${at}/merge_requests`, { source_branch: 'topic', target_branch: 'main', title: 'Change two' });
  await ask('POST', `${at}/merge_requests/1/notes`, { body: 'Looks good' });
  await buildRepositoryProject(there, { owner, settings: { namespace_id: company.id }, files: null });
  const inner = await ask('POST', `/groups/${String(below.id)}/epics`, { title: 'In a subgroup', parent_id: epic.id });
  await ask('POST', `/groups/${company.id}/epics/2/related_epics`, {
    ...{ target_group_id: below.id, target_epic_iid: inner.iid, link_type: 'blocks' },
  });
  for (const place of [`/groups/${company.id}`, at]) {
    await ask('POST', `${place}/wikis`, { title: 'home', content: `Wiki of ${place}` });
    await sent('POST', `${place}/uploads`, 'file', 'notes.txt', Buffer.from(`File of ${place}`));
    await sent('PUT', place, 'avatar', 'a.png', picture);
  }
  await source.commit('topic', { 'c.txt': '3\n' }, { start_branch: 'main', force: true });
  await eventually('the second version', async () => {
    const { body } = await source.api<Json[]>('GET', '/merge_requests/1/versions');
    return body.length === 2;
  });
}

async function sent(
  method: 'POST' | 'PUT',
  path: string,
  field: string,
  name: string,
  file: Buffer,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const form = new FormData();
  for (const [key, value] of Object.entries(more)) form.set(key, value);
  form.set(field, new Blob([new Uint8Array(file)]), name);
  expect((await there.api(method, path, { token: owner.secret, form })).status, path).toBeLessThan(300);
}

beforeAll(async () => {
  [there, here] = await Promise.all([startTestApp({ background: true }), startTestApp({ background: true })]);
  await filled();
  admin = await buildToken(here, { user: await buildAdmin(here) });
  person = await buildToken(here);
  await buildUser(here, { username: 'carol' });
  await setting({ allow_local_requests_from_web_hooks_and_services: true, bulk_import_enabled: true });
  const theirs = await buildToken(there, { user: await buildAdmin(there) });
  const enabled = { token: theirs.secret, json: { bulk_import_enabled: true } };
  expect((await there.api('PUT', '/application/settings', enabled)).status).toBe(200);
});
afterAll(async () => {
  closeServed();
  await Promise.all([there.close(), here.close()]);
});

const setting = async (json: Json) =>
  expect(await here.api('PUT', '/application/settings', { token: admin.secret, json })).toMatchObject({ status: 200 });
const get = async (path: string, token = admin.secret) => (await here.api<Json[]>('GET', path, { token })).body;
const wanted = (entity: Json = {}, configuration: Json = {}): Json => ({
  configuration: { url: there.url, access_token: owner.secret, ...configuration },
  entities: [
    {
      source_type: 'group_entity',
      source_full_path: company.full_path,
      destination_slug: unique('moved'),
      destination_namespace: '',
      ...entity,
    },
  ],
});
const ask = (json: Json, token: string | null = admin.secret) =>
  here.api<Json>('POST', '/bulk_imports', { json, ...(token === null ? {} : { token }) });
const ended = (id: unknown, token = admin.secret) =>
  eventually('the transfer', async () => {
    const { body } = await here.api<Json>('GET', `/bulk_imports/${String(id)}`, { token });
    return ['finished', 'failed', 'canceled'].includes(String(body.status)) ? body : null;
  });

/** What uploaded files hold, read at the addresses that they had there. */
async function filesOf(kind: 'project' | 'group', id: string): Promise<string[]> {
  const table = kind === 'project' ? ('project_uploads' as const) : ('group_uploads' as const);
  const rows = await there.db.selectFrom(table).select(['secret', 'file_name']).execute();
  const found: string[] = [];
  for (const { secret, file_name } of rows) {
    const path = `/${kind}s/${id}/uploads/${secret}/${file_name}`;
    const { status, body } = await here.api<string>('GET', path, { token: admin.secret });
    if (status === 200) found.push(body);
  }
  return found;
}
const pictureAt = async (path: string): Promise<Buffer> => {
  const answer = await fetch(`${here.url}/api/v4${path}`, { headers: { 'PRIVATE-TOKEN': admin.secret } });
  return Buffer.from(await answer.arrayBuffer());
};

describe('direct transfer', () => {
  it('brings a group with its subgroups, projects, members, labels, milestones, issues and requests', async () => {
    const json = wanted();
    const slug = (json.entities as Json[])[0]?.destination_slug;
    const made = await ask(json);
    expect([made.status, made.body]).toMatchObject([
      201,
      {
        status: expect.stringMatching(/created|started/),
        source_type: 'gitlab',
        source_url: there.url,
        has_failures: false,
      },
    ]);
    const { id } = made.body;
    expect(await ended(id)).toMatchObject({ status: 'finished' });
    const entities = await get(`/bulk_imports/${id}/entities?sort=asc`);
    expect(
      entities.map(({ entity_type, status, destination_full_path }) => [entity_type, status, destination_full_path]),
    ).toEqual(
      expect.arrayContaining([
        ['group', 'finished', slug],
        ['group', 'finished', `${slug}/core`],
        ['project', 'finished', `${slug}/core/${(await source.row()).path}`],
      ]),
    );
    expect(entities.length).toBe(4);
    const [top] = entities;
    expect(top).toMatchObject({
      parent_id: null,
      // Who owns the group there is nobody here.
      failures: [{ relation: 'members', exception_message: `nobody is called ${owner.user.username}` }],
      stats: { labels: { source: 2, fetched: 2, imported: 2 }, milestones: { imported: 1 }, members: { imported: 1 } },
    });
    expect(await get(`/groups/${slug}`)).toMatchObject({ visibility: 'internal', full_path: slug });
    expect(await get(`/groups/${slug}/labels`)).toMatchObject([
      { name: 'ranked', color: '#0000ff' },
      { name: 'urgent', color: '#ff0000', description: 'Now' },
    ]);
    expect(await get(`/groups/${slug}/milestones`)).toMatchObject([{ title: 'Spring', due_date: '2030-04-01' }]);
    expect(await get(`/groups/${slug}/epics?sort=asc&include_descendant_groups=false`)).toMatchObject([
      { iid: 1, title: 'Above', labels: ['urgent'] },
      { iid: 2, title: 'Below' },
    ]);
    expect((await get(`/groups/${slug}/epics/1/notes`)).map(({ body }) => body)).toContainEqual(
      expect.stringContaining('Soon'),
    );
    expect((await get(`/groups/${slug}/boards`)).map(({ name }) => name)).toContain('Company board');
    expect((await get(`/groups/${slug}/badges`)).map(({ link_url }) => link_url)).toEqual(['https://x.example']);
    expect((await get(`/groups/${slug}/iterations`)).map(({ title }) => title)).toEqual(['Sprint']);
    expect(await get(`/groups/${slug}/members`)).toContainEqual(
      expect.objectContaining({ username: 'carol', access_level: 30 }),
    );
    expect((await get(`/groups/${encodeURIComponent(`${slug}/core`)}/epics`)).map(({ title }) => title)).toEqual([
      'In a subgroup',
    ]);
    expect((await get(`/groups/${slug}/epics/1/epics`)).map(({ title }) => title).sort()).toEqual([
      'Below',
      'In a subgroup',
    ]);
    expect(await get(`/groups/${slug}/epics/2/related_epics`)).toMatchObject([
      { title: 'In a subgroup', link_type: 'blocks' },
    ]);
    expect(await get(`/groups/${slug}/wikis/home`)).toMatchObject({ content: `Wiki of /groups/${company.id}` });
    expect(await filesOf('group', String(top?.namespace_id))).toEqual([`File of /groups/${company.id}`]);
    expect(await pictureAt(`/groups/${slug}/avatar`)).toEqual(picture);
    const project = entities.find(({ source_full_path }) => String(source_full_path).includes('/core/')) as Json;
    expect(project).toMatchObject({ parent_id: expect.any(Number), namespace_id: null, has_failures: false });
    const at = `/projects/${project.project_id}`;
    expect(await get(at)).toMatchObject({
      description: 'A tool',
      visibility: 'internal',
      import_type: 'gitlab_migration',
      import_status: 'finished',
      default_branch: 'main',
    });
    expect((await get(`${at}/repository/branches`)).map(({ name }) => name).sort()).toEqual(['main', 'topic']);
    const [incident, issue] = await get(`${at}/issues`);
    expect(incident).toMatchObject({ iid: 2, title: 'Down', issue_type: 'incident' });
    expect(issue).toMatchObject({ iid: 1, title: 'It breaks', labels: ['bug', 'urgent'] });
    // The label is the group's, not one of the project.
    expect((await get(`${at}/labels?include_ancestor_groups=false`)).map(({ name }) => name)).toEqual(['bug']);
    // Ranks of labels of the group are those of the project there, and columns stand as they did.
    const ranks = (await get(`${at}/labels`)).map(({ name, priority }) => [name, priority]);
    expect(ranks).toEqual([
      ['bug', null],
      ['ranked', 1],
      ['urgent', 2],
    ]);
    const columns = (await get(`${at}/boards`)).map(({ lists }) => (lists as Json[]).map(({ label }) => label));
    expect(columns).toMatchObject([[{ name: 'ranked' }, { name: 'urgent' }, { name: 'bug' }]]);
    expect((await get(`${at}/issues/1/notes`)).map(({ body }) => body)).toContainEqual(
      expect.stringContaining('Seen too'),
    );
    expect(await get(`${at}/merge_requests/1`)).toMatchObject({ title: 'Change two', state: 'opened' });
    expect((await get(`${at}/merge_requests/1/notes`)).map(({ body }) => body)).toContainEqual(
      expect.stringContaining('Looks good'),
    );
    const changes = (await get(`${at}/merge_requests/1/diffs`)).map(({ new_path }) => new_path);
    expect(changes).toEqual(['c.txt']);
    const [, first] = await get(`${at}/merge_requests/1/versions`);
    const version = (await get(`${at}/merge_requests/1/versions/${first?.id}`)) as unknown as { diffs: Json[] };
    expect(version.diffs.map(({ new_path }) => new_path)).toEqual(['b.txt']);
    expect(await get(`${at}/wikis/home`)).toMatchObject({ content: `Wiki of /projects/${source.id}` });
    expect(await filesOf('project', String(project.project_id))).toEqual([`File of /projects/${source.id}`]);
    expect(await pictureAt(`${at}/avatar`)).toEqual(picture);
    const [snippet] = await get(`${at}/snippets`);
    expect(snippet).toMatchObject({ title: 'Handy', visibility: 'internal' });
    expect(((snippet?.files ?? []) as Json[]).map(({ path }) => path)).toEqual(['a.sh', 'b.sh']);
    expect((await get(`${at}/snippets/${snippet?.id}/notes`)).map(({ body }) => body)).toEqual([
      expect.stringContaining('Use it'),
    ]);
    const [image] = await get(`${at}/issues/2/metric_images`);
    expect(image).toMatchObject({ filename: 'load.png', url_text: 'Load' });
    const shown = await fetch(new URL(String(image?.file_path), here.url), {
      headers: { 'PRIVATE-TOKEN': admin.secret },
    });
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(picture);
    // Nothing that proves us there is kept.
    const kept = await here.db.selectFrom('bulk_imports').selectAll().where('id', '=', Number(id)).executeTakeFirst();
    expect(kept?.token_sealed).toBeNull();
    expect((await get('/bulk_imports/entities?status=finished')).length).toBe(4);
    expect(await get('/bulk_imports?status=started')).toEqual([]);
    expect(await get('/bulk_imports')).toMatchObject([{ id, status: 'finished' }]);
  });

  it('one project alone goes where its importer may make projects; names of people are claims', async () => {
    const group = await buildGroup(here, { owner: person.user, visibility: 'public' });
    const entity = {
      source_type: 'project_entity',
      source_full_path: (await source.api('GET', '')).body.path_with_namespace,
      destination_slug: 'tool',
      destination_namespace: group.full_path,
    };
    const made = await ask(wanted(entity), person.secret);
    expect(made.status).toBe(201);
    expect(await ended(made.body.id, person.secret)).toMatchObject({ status: 'finished', has_failures: false });
    const [one] = await get(`/bulk_imports/${made.body.id}/entities`, person.secret);
    expect(one).toMatchObject({ entity_type: 'project', status: 'finished', stats: { issues: { imported: 2 } } });
    const [, issue] = await get(`/projects/${one?.project_id}/issues`, person.secret);
    expect(issue).toMatchObject({ author: { username: person.user.username } });
    expect(String(issue?.description)).toContain(`Opened by ${owner.user.username}`);
    const part = await here.api<Json>('GET', `/bulk_imports/${made.body.id}/entities/${one?.id}`, {
      token: person.secret,
    });
    expect(part.body).toEqual(one);
    // Transfers of others are not there.
    const other = (await buildToken(here)).secret;
    for (const path of ['', '/entities', `/entities/${one?.id}`, `/entities/${one?.id}/failures`])
      expect((await here.api('GET', `/bulk_imports/${made.body.id}${path}`, { token: other })).status).toBe(404);
    expect((await here.api('POST', `/bulk_imports/${made.body.id}/cancel`, { token: other })).status).toBe(404);
    expect(await get('/bulk_imports/entities', other)).toEqual([]);
  });

  it('what cannot be made is told with its reason, and the rest goes on', async () => {
    const taken = await buildGroup(here);
    const json = wanted();
    const [first] = json.entities as Json[];
    json.entities = [{ ...first, destination_slug: taken.path, migrate_projects: false }];
    const { body } = await ask(json);
    expect(await ended(body.id)).toMatchObject({ status: 'failed', has_failures: true });
    const [entity] = await get(`/bulk_imports/${body.id}/entities`);
    expect(entity).toMatchObject({ status: 'failed', has_failures: true, namespace_id: null });
    expect(await get(`/bulk_imports/${body.id}/entities/${entity?.id}/failures`)).toMatchObject([
      {
        relation: 'group',
        exception_message: expect.stringContaining('taken'),
        source_url: expect.stringContaining(there.url),
      },
    ]);
  });

  it('files above bulk_import_max_download_file_size are left out and told', async () => {
    const large = await buildRepositoryProject(there, { owner, files: { 'a.txt': 'one' } });
    for (const title of ['One', 'Two']) {
      const description = randomBytes(700_000).toString('base64');
      expect((await large.api('POST', '/issues', { json: { title, description } })).status).toBe(201);
    }
    await setting({ bulk_import_max_download_file_size: 1 });
    const entity = {
      source_type: 'project_entity',
      source_full_path: (await large.api('GET', '')).body.path_with_namespace,
      destination_slug: unique('large'),
      destination_namespace: person.user.username,
      migrate_memberships: false,
    };
    const { body } = await ask(wanted(entity), person.secret);
    expect(await ended(body.id, person.secret)).toMatchObject({ status: 'finished', has_failures: true });
    const [one] = await get(`/bulk_imports/${body.id}/entities`, person.secret);
    expect(await get(`/bulk_imports/${body.id}/entities/${one?.id}/failures`, person.secret)).toMatchObject([
      { relation: 'issues', exception_message: expect.stringContaining('bulk_import_max_download_file_size') },
    ]);
    expect(await get(`/projects/${one?.project_id}/issues`, person.secret)).toEqual([]);
    await setting({ bulk_import_max_download_file_size: 5_120 });
  });

  it('a group that was interrupted within a relation goes on behind what it has kept', async () => {
    const group = await buildGroup(there, { owner: owner.user });
    const titles = Array.from({ length: 150 }, (_none, at) => `label ${at}`);
    await there.db
      .insertInto('labels')
      .values(titles.map((title) => ({ title, color: '#112233', namespace_id: group.id })))
      .execute();
    // The first time that a label of the second page comes, its transaction fails; a sequence is not rolled back.
    const failing = [
      'create sequence label_tries',
      `create function fail_once() returns trigger language plpgsql as $$ begin
        if new.title = 'label 120' and nextval('label_tries') = 1 then raise exception 'once'; end if; return new; end $$`,
      'create trigger fail_once before insert on labels for each row execute function fail_once()',
    ];
    for (const statement of failing) await sql.raw(statement).execute(here.db);
    try {
      const { body } = await ask(wanted({ source_full_path: group.full_path, migrate_projects: false }));
      expect(await ended(body.id)).toMatchObject({ status: 'finished' });
      const [entity] = await get(`/bulk_imports/${body.id}/entities`);
      expect(entity?.stats).toMatchObject({ labels: { fetched: 150, imported: 150 } });
      const kept = here.db
        .selectFrom('labels')
        .select('title')
        .where('namespace_id', '=', Number(entity?.namespace_id));
      expect(await kept.execute()).toHaveLength(150);
      const tries = await sql<{ last_value: number }>`select last_value from label_tries`.execute(here.db);
      expect(tries.rows[0]?.last_value).toBe(2);
    } finally {
      await sql`drop trigger fail_once on labels`.execute(here.db);
    }
  });

  it('is canceled while it goes on, with the projects that it makes', async () => {
    const { url } = await served(({ path }) =>
      path.endsWith('/export_relations')
        ? { status: 202, body: {} }
        : path.endsWith('/status')
          ? { status: 429, headers: { 'Retry-After': '600' } }
          : path.includes('/groups/company') || path.includes('/groups/7')
            ? { body: /\/7\//.test(path) ? [] : { id: 7, name: 'Company', visibility: 'public' } }
            : null,
    );
    const json = wanted({ source_full_path: 'company' }, { url, access_token: 'x' });
    const { body } = await ask(json);
    await eventually('the group', async () => (await get(`/bulk_imports/${body.id}/entities`))[0]?.namespace_id);
    const cancel = () => here.api<Json>('POST', `/bulk_imports/${body.id}/cancel`, { token: admin.secret });
    expect(await cancel()).toMatchObject({ status: 200, body: { status: 'canceled' } });
    expect((await cancel()).status).toBe(400);
    expect(await get(`/bulk_imports/${body.id}/entities`)).toMatchObject([{ status: 'canceled' }]);
    // Its task finds what is below the group only now.
    const below: NewEntity = {
      source_type: 'project',
      ...{ source_full_path: 'company/late', destination_name: null, destination_slug: 'late' },
      ...{ destination_namespace: 'company', migrate_projects: true, migrate_memberships: true },
    };
    await transaction(here.db, (tx) => insertEntities(tx, Number(body.id), null, [below]));
    expect(await get(`/bulk_imports/${body.id}/entities`)).toHaveLength(1);
  });

  it('is refused at once where something is missing or wrong', async () => {
    const refused = async (json: Json, token: string | null = admin.secret) => {
      const { status, body } = await ask(json, token);
      return [status, body.message ?? body.error];
    };
    expect((await refused(wanted(), null))[0]).toBe(401);
    expect(await refused(wanted({}, { access_token: 'wrong' }))).toEqual([
      422,
      'Import failed: The token is not valid',
    ]);
    expect(await refused(wanted({ source_full_path: 'nowhere' }))).toEqual([422, 'Import failed: Not Found']);
    expect((await refused(wanted({}, { url: 'ftp://x' })))[0]).toBe(400);
    expect((await refused(wanted({ source_type: 'user_entity' })))[0]).toBe(400);
    expect((await refused(wanted({ destination_slug: '../x' })))[0]).toBe(400);
    expect((await refused({ ...wanted(), entities: [] }))[0]).toBe(400);
    expect(await refused(wanted({ source_type: 'project_entity' }))).toEqual([400, 'destination_namespace is missing']);
    const group = await buildGroup(here, { visibility: 'private' });
    for (const destination_namespace of [group.full_path, 'nowhere'])
      expect(await refused(wanted({ destination_namespace }), person.secret)).toEqual([
        422,
        `Import failed. Destination '${destination_namespace}' is invalid, or you don't have permission.`,
      ]);
    await setting({ bulk_import_enabled: false });
    expect((await refused(wanted()))[0]).toBe(404);
    await setting({ bulk_import_enabled: true });
  });
});
