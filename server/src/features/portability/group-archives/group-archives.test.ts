/** Archives of groups over HTTP: random groups come out as they went in; who may; hostile archives; an import that was interrupted. Slow, sampled: fills and reads whole groups over the API. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildToken,
  unique,
} from '../../../../test/factories.ts';
import { opened, packed, picture } from '../../../../test/project-archives.ts';
import type { Json } from '../../../../test/repositories.ts';
import { addJob } from '../../../kernel/queue/index.ts';

let app: TestApp;
let admin: BuiltToken;
let owner: BuiltToken;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  admin = await buildToken(app, { user: await buildAdmin(app), scopes: ['api', 'admin_mode'] });
  owner = await buildToken(app);
  const settings = {
    group_download_export_limit: 0,
    group_export_limit: 0,
    group_import_limit: 0,
    bulk_import_enabled: true,
  };
  await call(admin, 'PUT', '/application/settings', settings);
});
afterAll(() => app.close());

async function call<T = Json>(
  token: BuiltToken,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  json?: Json,
): Promise<T> {
  const answer = await app.api<T>(method, path, { token: token.secret, ...(json ? { json } : {}) });
  expect([path, answer.status < 300, answer.body]).toEqual([path, true, answer.body]);
  return answer.body;
}

/** A repeatable source of choices. */
function choices(seed: number) {
  let state = seed;
  const below = (most: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
  return { below, maybe: () => below(2) === 0 };
}

/** A group with subgroups, and something of everything in each. */
async function filled(seed: number): Promise<{ id: number; full_path: string }> {
  const { below, maybe } = choices(seed);
  const top = await buildGroup(app, { owner: owner.user });
  const ask = (method: 'GET' | 'POST' | 'PUT', path: string, json?: Json) => call(owner, method, path, json);
  await ask('PUT', `/groups/${top.id}`, {
    name: `Company ${seed}`,
    description: `Group ${seed}`,
    mentions_disabled: maybe(),
    request_access_enabled: maybe(),
    project_creation_level: maybe() ? 'developer' : 'maintainer',
    allowed_email_domains_list: '',
  });
  const form = new FormData();
  form.set('avatar', new Blob([new Uint8Array(picture)]), 'a.png');
  expect((await app.api('PUT', `/groups/${top.id}`, { token: owner.secret, form })).status).toBe(200);
  const upload = new FormData();
  upload.set('file', new Blob([new Uint8Array(picture)]), 'ä b.png');
  expect((await app.api('POST', `/groups/${top.id}/uploads`, { token: owner.secret, form: upload })).status).toBe(201);
  const ids = [top.id];
  for (let number = 1; number <= 2; number++) {
    const parent = ids[below(ids.length)];
    const made = await ask('POST', '/groups', { name: `Team ${number}`, path: `team-${number}`, parent_id: parent });
    ids.push(Number(made.id));
  }
  await buildMember(app, { of: top, level: 30 });
  const epics: { id: number; iid: number; group: number }[] = [];
  for (const id of ids) {
    const at = `/groups/${id}`;
    await ask('POST', `${at}/labels`, {
      name: `own-${ids.indexOf(id)}`,
      color: '#112233',
      description: 'ä',
    });
    const label = id === top.id ? 'shared' : `near-${ids.indexOf(id)}`;
    const { id: labelId } = await ask('POST', `${at}/labels`, { name: label, color: '#445566' });
    const milestone = await ask('POST', `${at}/milestones`, {
      title: `m-${ids.indexOf(id)}`,
      start_date: '2030-01-01',
      due_date: '2030-02-01',
    });
    if (maybe()) await ask('PUT', `${at}/milestones/${milestone.id}`, { state_event: 'close' });
    await ask('POST', `${at}/badges`, {
      name: 'b',
      link_url: 'https://x.example/',
      image_url: 'https://x.example/y.svg',
    });
    const iteration = await ask('POST', `${at}/iterations`, {
      title: `Sprint ${ids.indexOf(id)}`,
      start_date: '2030-03-04',
      due_date: '2030-03-17',
    });
    await ask('POST', `${at}/iteration_cadences`, {
      title: 'Automatic',
      start_date: '2031-01-06',
      duration_in_weeks: 1 + below(4),
      iterations_in_advance: 2,
    });
    const board = await ask('POST', `${at}/boards`, { name: 'Development' });
    await ask('POST', `${at}/boards/${board.id}/lists`, { label_id: labelId });
    await ask('POST', `${at}/boards/${board.id}/lists`, { milestone_id: milestone.id });
    await ask('POST', `${at}/boards/${board.id}/lists`, { iteration_id: iteration.id });
    await ask('PUT', `${at}/boards/${board.id}`, { hide_backlog_list: maybe(), labels: 'shared' });
    const epicBoard = await ask('POST', `${at}/epic_boards`, { name: 'Epics' });
    await ask('POST', `${at}/epic_boards/${epicBoard.id}/lists`, { label_id: labelId });
    for (let number = 1; number <= 2; number++) {
      const parent = epics.length > 0 && maybe() ? epics[below(epics.length)] : undefined;
      const epic = await ask('POST', `${at}/epics`, {
        title: `Epic ${number}`,
        description: maybe() ? `Text ${'y'.repeat(below(90))}` : '',
        confidential: maybe(),
        labels: maybe() ? 'shared' : label,
        ...(maybe() ? { start_date_is_fixed: true, start_date_fixed: '2030-05-01' } : {}),
        ...(parent && !(await tooDeep(parent.id)) ? { parent_id: parent.id } : {}),
      });
      const iid = Number(epic.iid);
      if (maybe()) await ask('POST', `${at}/epics/${iid}/award_emoji`, { name: 'tada' });
      if (maybe()) await ask('PUT', `${at}/epics/${iid}`, { state_event: 'close', add_labels: 'shared' });
      const note = await ask('POST', `${at}/epics/${epic.id}/notes`, { body: `Seen ${number}` });
      if (maybe()) await ask('POST', `${at}/epics/${iid}/notes/${note.id}/award_emoji`, { name: 'heart' });
      const other = epics[below(epics.length + 1)];
      if (other && maybe())
        await app.api('POST', `${at}/epics/${iid}/related_epics`, {
          token: owner.secret,
          json: { target_group_id: other.group, target_epic_iid: other.iid, link_type: 'relates_to' },
        });
      epics.push({ id: Number(epic.id), iid, group: id });
    }
  }
  await ask('POST', `/groups/${top.id}/wikis`, { title: 'home', content: 'Welcome' });
  await ask('POST', `/groups/${ids[1]}/wikis`, { title: 'deep/page', content: 'Below' });
  return { id: top.id, full_path: top.full_path };
}

const tooDeep = async (id: number): Promise<boolean> => {
  const row = await app.db.selectFrom('epics').select('parent_id').where('id', '=', id).executeTakeFirstOrThrow();
  return row.parent_id !== null;
};

const own = new Set([
  'id',
  'group_id',
  'url',
  'web_url',
  'web_edit_url',
  'noteable_id',
  '_links',
  'awardable_id',
  'resource_id',
  'wiki_page_meta_id',
  'parent_id',
]);
/** Without what a group has of its own: ids, and the path that it is at. */
function plain(value: unknown, path: string): unknown {
  if (typeof value === 'string') return value.replaceAll(path, 'ROOT');
  if (Array.isArray(value)) return value.map((each) => plain(each, path));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key]) =>
      !own.has(key) &&
      !['visibility', 'avatar_url', 'runners_token', 'full_name', 'references', 'noteable_iid', 'group'].includes(key),
  );
  return Object.fromEntries(kept.map(([key, each]) => [key, plain(each, path)]));
}

/** All that the API tells of a group and those below it. */
async function seen(root: { id: number; full_path: string }): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  const get = <T = Json[]>(path: string) => call<T>(admin, 'GET', path);
  const below = await get(`/groups/${root.id}/descendant_groups?per_page=100`);
  const groups = [{ id: root.id, full_path: root.full_path }, ...below] as { id: number; full_path: string }[];
  for (const { id, full_path } of groups) {
    const name = full_path.replace(root.full_path, 'ROOT');
    const keep = (what: string, value: unknown) => {
      found[`${name} ${what}`] = plain(value, root.full_path);
    };
    const {
      name: called,
      path: _path,
      projects: _projects,
      created_at: _at,
      shared_projects: _shared,
      ...group
    } = await get<Json>(`/groups/${id}`);
    keep('itself', id === root.id ? group : { ...group, called });
    for (const what of [
      'labels',
      'milestones',
      'badges',
      'members',
      'iteration_cadences',
      'iterations',
      'boards',
      'epic_boards',
      'uploads',
    ])
      keep(
        what,
        (await get(`/groups/${id}/${what}?per_page=100&include_ancestor_groups=false&include_ancestors=false`)).map(
          ({ created_at: _, ...row }) => row,
        ),
      );
    keep('wikis', await get(`/groups/${id}/wikis?with_content=1`));
    const epics = await get(`/groups/${id}/epics?per_page=100&include_descendant_groups=false&sort=asc`);
    keep(
      'epics',
      epics.map(({ updated_at: _, ...epic }) => epic),
    );
    for (const { id: epicId, iid, parent_id } of epics) {
      const at = `/groups/${id}/epics/${iid}`;
      keep(
        `parent of ${iid}`,
        parent_id &&
          (await app.db.selectFrom('epics').select(['iid', 'title']).where('id', '=', Number(parent_id)).execute()),
      );
      const notes = await get(`/groups/${id}/epics/${epicId}/notes?sort=asc`);
      keep(`notes of ${iid}`, notes);
      keep(`reactions of ${iid}`, await get(`${at}/award_emoji`));
      for (const note of notes)
        keep(`reactions of ${iid} ${note.body}`, await get(`${at}/notes/${note.id}/award_emoji`));
      keep(
        `links of ${iid}`,
        (await get(`${at}/related_epics`)).map(({ iid: other, link_type }) => [other, link_type]),
      );
      keep(`states of ${iid}`, await get(`/groups/${id}/epics/${epicId}/resource_state_events`));
      keep(`changes of ${iid}`, await get(`/groups/${id}/epics/${epicId}/resource_label_events`));
    }
  }
  return found;
}

async function exported(id: number, token = owner): Promise<Buffer> {
  expect(await call(token, 'POST', `/groups/${id}/export`)).toEqual({ message: '202 Accepted' });
  const fetchIt = () =>
    fetch(`${app.url}/api/v4/groups/${id}/export/download`, { headers: { 'PRIVATE-TOKEN': token.secret } });
  const answer = await eventually('the archive', async () => {
    const response = await fetchIt();
    return response.status === 200 && response;
  });
  expect(answer.headers.get('content-type')).toBe('application/gzip');
  return Buffer.from(await answer.arrayBuffer());
}

const send = (file: Buffer, fields: Record<string, string>, token: BuiltToken | null) => {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(file)]), 'group.tar.gz');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return app.api<Json>('POST', '/groups/import', token ? { token: token.secret, form } : { form });
};

async function imported(file: Buffer, token: BuiltToken, fields: Record<string, string> = {}) {
  const path = unique('moved');
  const answer = await send(file, { path, name: path, ...fields }, token);
  expect([answer.status, answer.body]).toEqual([202, { message: '202 Accepted' }]);
  const { id, full_path } = await call<{ id: number; full_path: string }>(token, 'GET', `/groups/${path}`);
  const status = await eventually('the import', async () => {
    const state = await call(token, 'GET', `/groups/${id}/import`);
    return ['finished', 'failed'].includes(String(state.import_status)) && state;
  });
  return { id, full_path, status };
}

it.each([1, 2])(
  'a group comes back as it was, with all below it, of seed %i',
  async (seed) => {
    const source = await filled(seed);
    const { status, ...made } = await imported(await exported(source.id), admin);
    expect(status).toMatchObject({ import_status: 'finished', import_error: null });
    // Who imports is an owner as well, and the one who was there has the place below them.
    expect(status.failed_relations).toEqual([]);
    const [before, after] = [await seen(source), await seen(made)];
    const members = (of: Record<string, unknown>) =>
      (of['ROOT members'] as Json[])
        .filter(({ username }) => username !== admin.user.username)
        .map(({ username, access_level }) => [username, access_level]);
    expect(members(after)).toEqual(members(before));
    for (const of of [before, after]) for (const key of Object.keys(of)) if (key.endsWith(' members')) delete of[key];
    expect(after).toEqual(before);
    const next = await call(admin, 'POST', `/groups/${made.id}/epics`, { title: 'Next' });
    expect(next.iid).toBe(3);
  },
  60_000,
);

it('security 18: an archive of anybody names people and does not speak for them; secrets stay; wrong lines are told', async () => {
  const source = await filled(4);
  await call(owner, 'POST', `/groups/${source.id}/variables`, { key: 'SECRET', value: 'canary-variable' });
  const files = await opened(await exported(source.id));
  for (const [name, content] of files) expect([name, content.includes('canary')]).toEqual([name, false]);
  const at = '2024-01-02T03:04:05Z';
  const epic = {
    state: 'opened',
    confidential: false,
    color: '#112233',
    start_date_is_fixed: false,
    due_date_is_fixed: false,
    created_at: at,
    updated_at: at,
    labels: [],
  };
  const lines = (rows: readonly unknown[]) => Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  files.set(
    'groups/1/relations/epics.ndjson',
    lines([
      { ...epic, iid: 1, title: 'Mine', author: admin.user.username },
      { ...epic, iid: 1, title: 'Twice' },
      { ...epic, iid: 0, title: 'Zero' },
      { ...epic, iid: 2, title: 'Two' },
    ]),
  );
  const link = (from: number, to: number, link_type = 'parent', group = '') => ({
    source: { group: '', iid: from },
    target: { group, iid: to },
    link_type,
    created_at: at,
  });
  files.set(
    'groups/1/relations/epic_links.ndjson',
    lines([link(1, 2), link(2, 1), link(1, 1), link(1, 9), link(1, 2, 'blocks', '../other')]),
  );
  files.set('groups/99/relations/labels.ndjson', lines([{ title: 'nowhere' }]));
  const { id, status } = await imported(packed(files), owner);
  const told = (status.failed_relations as Json[]).map(({ relation_name, line_number, exception_message }) => [
    relation_name,
    line_number,
    exception_message,
  ]);
  expect(told).toEqual(
    expect.arrayContaining([
      ['members', 1, 'only administrators import members'],
      ['epics', 2, 'is there already'],
      ['epics', 3, expect.stringContaining('iid')],
      ['epic_links', 2, 'would be below itself'],
      ['epic_links', 3, 'links an epic with itself'],
      ['epic_links', 4, 'links epics that the archive does not have'],
      ['epic_links', 5, 'links epics that the archive does not have'],
      ['groups', 99, 'groups/99/relations/labels.ndjson is of no group'],
    ]),
  );
  expect(await call(owner, 'GET', `/groups/${id}/epics/1`)).toMatchObject({
    author: { username: owner.user.username },
    description: `*Opened by ${admin.user.username}*`,
  });
  expect(await call<Json[]>(owner, 'GET', `/groups/${id}/epics/1/award_emoji`)).toEqual([]);
  expect(await call(owner, 'GET', `/groups/${id}`)).toMatchObject({ visibility: 'private' });
});

it('an import that was interrupted begins again, with the groups that it made', async () => {
  const source = await filled(5);
  const archive = await exported(source.id);
  const { id, full_path } = await imported(archive, admin);
  const before = await seen({ id, full_path });
  const { key } = await (async () => {
    const objects = await app.db
      .selectFrom('group_exports')
      .select('object_key as key')
      .where('namespace_id', '=', source.id)
      .executeTakeFirstOrThrow();
    return objects;
  })();
  await app.db
    .updateTable('group_imports')
    .set({ state: 'started', object_key: key })
    .where('namespace_id', '=', id)
    .execute();
  await addJob(app.db, { name: 'portability.import_group', maxAttempts: 1 }, { group_id: id });
  await eventually(
    'the second attempt',
    async () => (await call(admin, 'GET', `/groups/${id}/import`)).import_status === 'finished',
  );
  expect(await seen({ id, full_path })).toEqual(before);
});

it('security 16: owners export; who may make groups imports; what is no archive is refused', async () => {
  const group = await buildGroup(app, { owner: owner.user });
  const maintainer = await buildToken(app);
  await buildMember(app, { user: maintainer.user, of: group, level: 40 });
  const status = async (method: 'GET' | 'POST', path: string, token: BuiltToken | null) =>
    (await app.api(method, `/groups/${group.id}/${path}`, token ? { token: token.secret } : {})).status;
  for (const [method, path] of [
    ['POST', 'export'],
    ['GET', 'export/download'],
    ['GET', 'import'],
    ['POST', 'export_relations'],
    ['GET', 'export_relations/status'],
  ] as const) {
    expect([path, await status(method, path, maintainer)]).toEqual([path, 403]);
    expect([401, 404]).toContain(await status(method, path, null));
  }
  expect(await app.api('GET', `/groups/${group.id}/export/download`, { token: owner.secret })).toMatchObject({
    status: 404,
    body: { message: '404 Not found or has expired' },
  });
  expect(await call(owner, 'GET', `/groups/${group.id}/import`)).toMatchObject({ import_status: 'none', stats: null });
  const archive = await exported(group.id);
  expect((await send(archive, { path: 'x', name: 'x' }, null)).status).toBe(401);
  expect(await send(Buffer.from('no archive'), { path: unique('x'), name: 'x' }, owner)).toMatchObject({ status: 400 });
  expect(
    (await send(archive, { path: unique('x'), name: 'x', parent_id: String(group.id) }, await buildToken(app))).status,
  ).toBe(404);
  const { path } = await call<{ path: string }>(owner, 'GET', `/groups/${group.id}`);
  expect((await send(archive, { path, name: 'other' }, owner)).body).toMatchObject({
    message: 'Failed to save group {:path=>["has already been taken"]}',
  });
  const { full_path } = await (async () => {
    const below = unique('below');
    expect((await send(archive, { path: below, name: below, parent_id: String(group.id) }, owner)).status).toBe(202);
    return await call(owner, 'GET', `/groups/${encodeURIComponent(`${path}/${below}`)}`);
  })();
  expect(String(full_path)).toMatch(new RegExp(`^${path}/`));
});

it('relations of a group are exported one by one, whole and in batches; not where direct transfer is off', async () => {
  const group = await filled(6);
  const at = `/groups/${group.id}/export_relations`;
  const done = (batched: boolean) =>
    eventually('the export', async () => {
      const rows = await call<Json[]>(owner, 'GET', `${at}/status`);
      return rows.length > 0 && rows.every((row) => row.status === 1 && row.batched === batched) && rows;
    });
  for (const batched of [false, true]) {
    expect(await call(owner, 'POST', at, { batched })).toEqual({ message: '202 Accepted' });
    const rows = await done(batched);
    expect(rows.map(({ relation }) => relation)).toEqual(
      expect.arrayContaining(['self', 'labels', 'epics', 'boards', 'iterations_cadences', 'epic_boards', 'members']),
    );
    const file = await fetch(
      `${app.url}/api/v4${at}/download?relation=epics${batched ? '&batched=true&batch_number=1' : ''}`,
      { headers: { 'PRIVATE-TOKEN': owner.secret } },
    );
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/gzip']);
  }
  expect(await app.api('GET', `${at}/download?relation=nothing`, { token: owner.secret })).toMatchObject({
    status: 404,
  });
  await call(admin, 'PUT', '/application/settings', { bulk_import_enabled: false });
  expect((await app.api('POST', at, { token: owner.secret, json: {} })).status).toBe(404);
  await call(admin, 'PUT', '/application/settings', { bulk_import_enabled: true });
});
