/** Quick actions on issues and epics, and issues that go on elsewhere. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;
interface Found extends Json {
  readonly id: number;
  readonly iid: number;
  readonly commands_changes: Json;
  readonly summary: readonly string[];
}

let app: TestApp;
let owner: BuiltToken;
let guest: BuiltToken;
let group: Awaited<ReturnType<typeof buildGroup>>;
let project: Awaited<ReturnType<typeof buildProject>>;
let other: Awaited<ReturnType<typeof buildProject>>;
let base: string;
beforeAll(async () => {
  app = await startTestApp();
  [owner, guest] = [await buildToken(app), await buildToken(app)];
  group = await buildGroup(app, { visibility: 'private' });
  project = await buildProject(app, { visibility: 'private', namespace: group });
  other = await buildProject(app, { visibility: 'private', namespace: group });
  await buildMember(app, { user: owner.user, of: group, level: Level.owner });
  await buildMember(app, { user: guest.user, of: project, level: Level.guest });
  base = `/projects/${project.id}/issues`;
  for (const name of ['bug', 'needs review'])
    await app.api('POST', `/groups/${group.id}/labels`, { json: { name, color: '#112233' }, token: owner.secret });
  await app.api('POST', `/projects/${project.id}/milestones`, { json: { title: '1.0' }, token: owner.secret });
});
afterAll(() => app.close());

const post = (path: string, json: Json, by = owner) => app.api<Found>('POST', path, { json, token: by.secret });
const get = async <T = Found>(path: string, by = owner) => (await app.api<T>('GET', path, { token: by.secret })).body;
async function make(json: Json = {}, by = owner) {
  const made = await post(base, { title: 'An issue', ...json }, by);
  expect(made.status).toBe(201);
  const { id, iid, description, labels, created_at } = made.body;
  return { id, iid, description, labels, created_at, path: `${base}/${iid}` };
}
const bodies = async (path: string) =>
  (await get<{ body: string }[]>(`${path}/notes?sort=asc&order_by=created_at`)).map(({ body }) => body);

describe('quick actions', () => {
  it('[2/fields.discussion-and-note/2 commands_changes] are applied at once, and leave the rest of the comment', async () => {
    const { path } = await make();
    const lines = [
      '/label ~bug ~"needs review" ~missing',
      '/assign me',
      '/milestone %1.0',
      '/due 2031-05-06',
      '/weight 3',
    ];
    const made = await post(`${path}/notes`, {
      body: `Planned.\n${lines.join('\n')}\n/estimate 1h\n/spend 30m 2026-01-02\n/lock\n/title Better\n/close`,
    });
    expect([made.status, made.body]).toMatchObject([
      201,
      {
        body: 'Planned.',
        commands_changes: {
          add_label_ids: [expect.any(Number), expect.any(Number)],
          assignee_ids: [owner.user.id],
          milestone_id: expect.any(Number),
          due_date: '2031-05-06',
          weight: 3,
          time_estimate: 3600,
          spend_time: { duration: 1800, user_id: owner.user.id, spent_at: '2026-01-02' },
          discussion_locked: true,
          title: 'Better',
          state_event: 'close',
        },
      },
    ]);
    expect(await get(path)).toMatchObject({
      title: 'Better',
      state: 'closed',
      labels: ['bug', 'needs review'],
      assignees: [{ id: owner.user.id }],
      milestone: { title: '1.0' },
      due_date: '2031-05-06',
      weight: 3,
      discussion_locked: true,
      time_stats: { time_estimate: 3600, total_time_spent: 1800 },
    });
    const undone = await post(`${path}/notes`, {
      body: '/reopen\n/unlock\n/reopen\n/unlabel ~bug\n/unassign\n/remove_milestone\n/remove_due_date\n/clear_weight\n/remove_estimate\n/remove_time_spent',
    });
    expect([undone.status, undone.body.commands_changes]).toMatchObject([202, { discussion_locked: false }]);
    await post(`${path}/notes`, { body: '/reopen\n/relabel ~bug\n/confidential\n/health_status on track' });
    expect(await get(path)).toMatchObject({
      state: 'opened',
      labels: ['bug'],
      assignees: [],
      milestone: null,
      due_date: null,
      weight: null,
      confidential: true,
      health_status: 'on_track',
      time_stats: { time_estimate: 0, total_time_spent: 0 },
    });
  });

  it('alone answer 202 with what they changed, and are none for those who may not or in code', async () => {
    const { path } = await make({ title: 'Of another' });
    const alone = await post(`${path}/notes`, { body: '/todo\n/subscribe\n/award :tada:' }, guest);
    expect([alone.status, alone.body]).toEqual([
      202,
      {
        commands_changes: { todo_event: 'add', subscription_event: 'subscribe', emoji_award: 'tada' },
        summary: ['Added a to-do item.', 'Subscribed to notifications.', 'Toggled :tada: emoji reaction.'],
      },
    ]);
    expect(await get<Json[]>(`${path}/award_emoji`)).toMatchObject([{ name: 'tada', user: { id: guest.user.id } }]);
    expect(await get<Json[]>('/todos', guest)).toMatchObject([
      { action_name: 'marked', target: { title: 'Of another' } },
    ]);
    const refused = await post(`${path}/notes`, { body: '/close\n/label ~bug\n/move x/y' }, guest);
    expect([refused.status, refused.body]).toEqual([
      202,
      {
        commands_changes: {},
        summary: ['Could not apply close command.', 'Could not apply label command.', 'Could not apply move command.'],
      },
    ]);
    const code = await post(`${path}/discussions`, { body: '```\n/close\n```' });
    expect(code.status).toBe(201);
    expect(await get(path)).toMatchObject({ state: 'opened', labels: [] });
    expect((await post(`${path}/discussions`, { body: '/done' }, guest)).status).toBe(202);
    expect(await get<Json[]>('/todos', guest)).toEqual([]);
  });

  it('that are refused answer 400 to a comment, and a thread with what was applied; the text is kept', async () => {
    const { path } = await make({ start_date: '2031-05-06' });
    const say = async (body: string) => {
      const { status, body: said } = await post(`${path}/notes`, { body });
      return [status, said.commands_changes, said.summary];
    };
    const early = 'Due date must be greater than or equal to start date';
    const kept = await post(`${path}/discussions`, { body: 'Said\n/weight 4\n/due 2031-05-01\n/todo' });
    expect([kept.status, kept.body.notes]).toMatchObject([
      201,
      [
        {
          ...{ body: 'Said', commands_changes: {} },
          summary: [...['weight', 'due', 'todo'].map((name) => `Could not apply ${name} command.`), early],
        },
      ],
    ]);
    expect(await get(path)).toMatchObject({ weight: null });
    const refused = (reason: string) => ({ message: `400 Bad request - Note {:validation=>["${reason}"]}` });
    const beside = await post(`${path}/notes`, { body: 'Kept\n/due 2031-05-01' });
    expect([beside.status, beside.body, (await bodies(path)).at(-1)]).toEqual([400, refused(early), 'Kept']);
    const alone = await post(`${path}/notes`, { body: '/due 2031-05-01' });
    expect([alone.status, alone.body]).toEqual([400, refused(early)]);
    const thread = await post(`${path}/discussions`, { body: '/due 2031-05-01' });
    expect([thread.status, thread.body]).toEqual([400, { message: `400 Bad request - ${early}` }]);
    const some = '/todo\n/weight 5\n/spend -1h\n/subscribe';
    expect((await post(`${path}/notes`, { body: some })).body).toEqual(
      refused('Time to subtract exceeds the total time spent'),
    );
    expect(await get(path)).toMatchObject({ weight: 5, time_stats: { total_time_spent: 0 } });
    const partly = await post(`${path}/discussions`, { body: '/weight 6\n/spend -1h\n/subscribe' });
    expect([partly.status, partly.body]).toEqual([
      202,
      {
        commands_changes: { weight: 6 },
        summary: [
          ...['Set weight to 6.', 'Could not apply spend command.', 'Could not apply subscribe command.'],
          'Time to subtract exceeds the total time spent',
        ],
      },
    ]);
    expect(await say('/assign @nobody-here\n/due someday\n/move no/where')).toEqual([
      202,
      {},
      [
        ...['Failed to find users for @nobody-here.', 'Failed to set due date because the date format is invalid.'],
        "Unable to move. Target project doesn't exist.",
      ],
    ]);
  });

  it('are taken from descriptions of new issues and epics', async () => {
    const { description, labels } = await make({ description: 'Text\n/label ~bug\n/shrug' });
    expect([description, labels]).toEqual(['Text\n¯\\＿(ツ)＿/¯', ['bug']]);
    const epic = await post(`/groups/${group.id}/epics`, { title: 'Epic', description: 'E\n/label ~bug\n/close' });
    expect(epic.body).toMatchObject({ description: 'E', labels: ['bug'], state: 'closed' });
    const note = await post(`/groups/${group.id}/epics/${epic.body.id}/notes`, { body: '/reopen' });
    expect([note.status, note.body.commands_changes]).toEqual([202, { state_event: 'reopen' }]);
  });

  it('are applied when a description or a comment is edited; one that has nothing else goes', async () => {
    const { path } = await make();
    const put = (to: string, json: Json) => app.api<Found>('PUT', to, { json, token: owner.secret });
    const changed = await put(path, { description: 'Text\n/label ~bug\n/weight 4', title: 'Edited' });
    expect(changed.body).toMatchObject({ title: 'Edited', description: 'Text', labels: ['bug'], weight: 4 });
    const epic = await post(`/groups/${group.id}/epics`, { title: 'Edited' });
    const ofEpic = await put(`/groups/${group.id}/epics/${epic.body.iid}`, { description: '/close' });
    expect(ofEpic.body).toMatchObject({ description: '', state: 'closed' });
    const note = await post(`${path}/notes`, { body: 'Said' });
    const own = `${path}/notes/${note.body.id}`;
    const kept = await put(own, { body: 'Said again\n/unlabel bug\n/estimate 2h' });
    expect([kept.status, kept.body]).toMatchObject([
      200,
      { body: 'Said again', commands_changes: { remove_label_ids: [expect.any(Number)], time_estimate: 7200 } },
    ]);
    const other = await app.api('PUT', own, { json: { body: '/close' }, token: guest.secret });
    expect([other.status, (await get(path)).state]).toEqual([403, 'opened']);
    const gone = await put(own, { body: '/label bug "needs review"\n/estimate 0' });
    expect([gone.status, gone.body.summary]).toEqual([
      202,
      ['Added ~"bug" ~"needs review".', 'Removed the time estimate.'],
    ]);
    expect((await app.api('GET', own, { token: owner.secret })).status).toBe(404);
    expect(await get(path)).toMatchObject({ labels: ['bug', 'needs review'], time_stats: { time_estimate: 0 } });
  });

  it('change the type, the iteration by its cadence, the column of the only board, and the epic by its URL', async () => {
    const { path } = await make({ labels: 'bug' });
    const say = async (body: string) => (await post(`${path}/notes`, { body })).body;
    expect((await say('/promote_to_incident')).commands_changes).toEqual({ issue_type: 'incident' });
    expect((await say('/promote_to_incident\n/type nothing')).commands_changes).toEqual({});
    expect((await say('/type Task')).commands_changes).toEqual({ issue_type: 'task' });
    const sprints = `/groups/${group.id}/iterations`;
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const now = await post(sprints, { title: 'Now', start_date: day(-2), due_date: day(3) });
    const next = await post(sprints, { title: 'Next', start_date: day(5), due_date: day(9) });
    const [{ id: cadence, title } = { id: 0, title: '' }] = await app.db
      .selectFrom('iteration_cadences')
      .select(['id', 'title'])
      .where('namespace_id', '=', group.id)
      .execute();
    expect((await say('/iteration --current')).commands_changes).toEqual({ iteration_id: now.body.id });
    expect((await say(`/iteration [cadence:${cadence}] --next`)).commands_changes).toEqual({
      iteration_id: next.body.id,
    });
    expect((await say(`/iteration [cadence:"${title}"]`)).commands_changes).toEqual({ iteration_id: now.body.id });
    expect((await say('/iteration [cadence:"Other"] --next')).commands_changes).toEqual({});
    expect((await say('/board_move ~bug')).commands_changes).toEqual({});
    const board = await post(`/projects/${project.id}/boards`, { name: 'Work' });
    const labels = await get<Found[]>(`/groups/${group.id}/labels`);
    for (const { id } of labels) await post(`/projects/${project.id}/boards/${board.body.id}/lists`, { label_id: id });
    expect((await say('/board_move ~"needs review"')).commands_changes).toEqual({
      add_label_ids: [expect.any(Number)],
      remove_label_ids: [expect.any(Number)],
    });
    const far = await buildGroup(app, { visibility: 'private' });
    await buildMember(app, { user: owner.user, of: far, level: Level.owner });
    const epic = await post(`/groups/${far.id}/epics`, { title: 'Far' });
    expect((await say(`/epic ${far.full_path}&${epic.body.iid}`)).commands_changes).toEqual({ epic_id: epic.body.id });
    expect(await get(path)).toMatchObject({
      ...{ issue_type: 'task', labels: ['needs review'], iteration: { id: now.body.id }, epic: { id: epic.body.id } },
    });
    const page = `${app.url}/groups/${far.full_path}/-/epics/${epic.body.iid}`;
    await say(`/remove_epic\n/iteration *iteration:${next.body.id}`);
    expect(await get(path)).toMatchObject({ epic: null, iteration: { id: next.body.id } });
    expect((await say(`/epic ${page}`)).commands_changes).toEqual({ epic_id: epic.body.id });
  });

  it('plan epics, and place issues below them', async () => {
    const [here, there] = await Promise.all(
      ['Here', 'There'].map(
        async (title) => (await post(`/groups/${group.id}/epics`, { title, labels: 'needs review' })).body,
      ),
    );
    const issue = await make();
    const named = `${group.full_path}/${project.path}#${issue.iid}`;
    const say = async (body: string) => (await post(`/groups/${group.id}/epics/${here?.id}/notes`, { body })).body;
    const epic = () => get(`/groups/${group.id}/epics/${here?.iid}`);
    const parent = async () => (await get<{ epic: Json | null }>(issue.path)).epic;
    const steps: [command: string, changes: Json, seen: () => Promise<unknown>, expected: unknown][] = [
      [`/add_child ${named}`, {}, parent, expect.objectContaining({ id: here?.id })],
      [`/add_child ${named} ${group.full_path}/${project.path}#9999`, {}, parent, expect.anything()],
      [`/remove_child ${app.url}/${named.replace('#', '/-/issues/')}`, {}, parent, null],
      ['/due 2031-05-06', { due_date: '2031-05-06' }, epic, expect.objectContaining({ due_date: '2031-05-06' })],
      ['/remove_due_date', { due_date: null }, epic, expect.objectContaining({ due_date: null })],
      ['/unlabel', { label_ids: [] }, epic, expect.objectContaining({ labels: [] })],
      [
        `/copy_metadata &${there?.iid}`,
        { add_label_ids: [expect.any(Number)] },
        epic,
        expect.objectContaining({ labels: ['needs review'] }),
      ],
      [`/epic &${there?.iid}`, {}, epic, expect.objectContaining({ parent_id: there?.id })],
      [`/duplicate &${there?.iid}`, {}, epic, expect.objectContaining({ state: 'closed' })],
    ];
    for (const [command, changes, seen, expected] of steps) {
      expect([command, (await say(command)).commands_changes]).toEqual([command, changes]);
      expect([command, await seen()]).toEqual([command, expected]);
    }
    expect((await say(`/add_child ${named} #1`)).summary).toEqual(['Could not apply add_child command.']);
    expect(await parent()).toBeNull();
  });

  it('without something to act on stay in the text; a line for copies mentions people', async () => {
    const { path } = await make();
    const unknown = [
      '/timeline Down | 2031-05-06 09:30',
      '/zoom https://zoom.us/j/1',
      '/q dev',
      '/status Done',
      '/page x',
    ];
    const body = [...unknown, `/cc @${guest.user.username}`].join('\n');
    const made = await post(`${path}/notes`, { body });
    expect([made.status, made.body.body, made.body.commands_changes]).toEqual([201, body, {}]);
    const todos = await get<Json[]>('/todos', guest);
    expect(todos.map(({ action_name, body: text }) => [action_name, text])).toContainEqual([
      expect.stringMatching(/mentioned|directly_addressed/),
      body,
    ]);
  });

  it('place epics in their tree and link them', async () => {
    const [above, below, friend] = await Promise.all(
      ['Above', 'Below', 'Friend'].map(async (title) => (await post(`/groups/${group.id}/epics`, { title })).body),
    );
    const say = async (epic: Found | undefined, body: string) =>
      (await post(`/groups/${group.id}/epics/${epic?.id}/notes`, { body })).body.summary;
    const parent = async () =>
      (await get<{ parent_id: number | null }>(`/groups/${group.id}/epics/${below?.iid}`)).parent_id;
    expect(await say(above, `/add_child &${below?.iid}\n/add_child &9999`)).toEqual([
      `Added as child: &${below?.iid}.`,
      'Could not apply add_child command.',
    ]);
    expect(await parent()).toBe(above?.id);
    await say(above, `/remove_child &${below?.iid}`);
    expect(await parent()).toBeNull();
    await say(below, `/set_parent &${above?.iid}`);
    expect(await parent()).toBe(above?.id);
    await say(below, '/remove_parent');
    expect(await parent()).toBeNull();
    const links = async () =>
      (await get<Json[]>(`/groups/${group.id}/epics/${below?.iid}/related_epics`)).map(({ title, link_type }) => [
        title,
        link_type,
      ]);
    await say(below, `/relate &${above?.iid}\n/blocked_by &${friend?.iid}`);
    expect(await links()).toEqual([
      ['Above', 'relates_to'],
      ['Friend', 'is_blocked_by'],
    ]);
    await say(below, `/unlink &${friend?.iid}`);
    expect(await links()).toHaveLength(1);
  });

  it('relate issues, and close duplicates', async () => {
    const [one, two, three] = [await make(), await make(), await make()];
    const linked = await post(`${one.path}/notes`, { body: `/relate #${two.iid}\n/blocks #${three.iid}` });
    expect(linked.status).toBe(202);
    const links = () => get<Json[]>(`${one.path}/links`);
    expect(await links()).toMatchObject([
      { iid: two.iid, link_type: 'relates_to' },
      { iid: three.iid, link_type: 'blocks' },
    ]);
    await post(`${one.path}/notes`, { body: `/unlink #${three.iid}` });
    expect(await links()).toHaveLength(1);
    const done = await post(`${two.path}/notes`, { body: `Same.\n/duplicate #${three.iid}` });
    expect(done.body.commands_changes).toEqual({ canonical_issue_id: three.id });
    expect(await get(two.path)).toMatchObject({
      state: 'closed',
      _links: { closed_as_duplicate_of: expect.stringMatching(new RegExp(`/issues/${three.iid}$`)) },
    });
    expect(await bodies(three.path)).toContain(`marked #${two.iid} as a duplicate of this issue`);
    const copied = await make({ labels: 'bug' });
    await post(`${one.path}/notes`, { body: `/copy_metadata #${copied.iid}` });
    expect(await get(one.path)).toMatchObject({ labels: ['bug'] });
  });

  it('[2/api.issues/32 body, /promote] [2/fields.discussion-and-note/2 commands_changes, promote_to_epic] promote an issue to an epic', async () => {
    const { path } = await make({ title: 'Large', description: 'Much', labels: 'bug' });
    await post(`${path}/notes`, { body: 'First' });
    const made = await post(`${path}/notes`, { body: 'Lets promote this to an epic\n\n/promote' });
    expect([made.status, made.body]).toMatchObject([
      201,
      {
        body: 'Lets promote this to an epic',
        noteable_type: 'Issue',
        commands_changes: { promote_to_epic: true },
      },
    ]);
    expect(await get(path)).toMatchObject({ state: 'closed' });
    const [epic] = await get<Found[]>(`/groups/${group.id}/epics?search=Large`);
    expect(epic).toMatchObject({ title: 'Large', description: 'Much', labels: ['bug'], state: 'opened' });
    const said = await bodies(`/groups/${group.id}/epics/${epic?.id}`);
    expect(said).toEqual(expect.arrayContaining(['First', 'Lets promote this to an epic']));
    expect((await post(`${path}/notes`, { body: '/promote' })).body.commands_changes).toEqual({});
    const again = await make({ title: 'Large too' });
    const promoted = await post(`${again.path}/notes`, { body: '/promote_to Epic' });
    expect(promoted.body.commands_changes).toEqual({ promote_to_epic: true });
    const [larger, ...more] = await get<Found[]>(`/groups/${group.id}/epics?search=Large%20too`);
    expect([larger?.title, more]).toEqual(['Large too', []]);
    expect((await get<{ moves: Json }>(`${again.path}?with_moves=true`)).moves).toMatchObject({
      promoted_to: { title: 'Large too', reference: `${group.full_path}&${larger?.iid}` },
    });
    const theirs = await make({}, guest);
    expect((await post(`${theirs.path}/notes`, { body: '/promote' }, guest)).body.commands_changes).toEqual({});
  });
});

describe('/blocks and /blocked_by', () => {
  it('change a link that only relates, with notes, and leave one that says more', async () => {
    const [one, two] = [await make(), await make()];
    const say = (body: string) => post(`${one.path}/notes`, { body });
    const links = async (path: string) =>
      (await get<Json[]>(`${path}/links`)).map(({ iid, link_type }) => [iid, link_type]);
    await say(`/relate #${two.iid}`);
    await say(`/blocked_by #${two.iid}`);
    expect(await links(one.path)).toEqual([[two.iid, 'is_blocked_by']]);
    expect(await links(two.path)).toEqual([[one.iid, 'blocks']]);
    await say(`/blocks #${two.iid}\n/relate #${two.iid}`);
    expect(await links(one.path)).toEqual([[two.iid, 'is_blocked_by']]);
    expect(await bodies(one.path)).toEqual([
      `marked this issue as related to #${two.iid}`,
      `marked this issue as blocked by #${two.iid}`,
    ]);
    expect(await bodies(two.path)).toContain(`marked this issue as blocking #${one.iid}`);
    const json = { target_project_id: project.id, target_issue_iid: two.iid, link_type: 'blocks' };
    expect((await post(`${one.path}/links`, json)).status).toBe(409);
  });
});

describe('issues that go on elsewhere', () => {
  it('are moved with what was said, and lead to where they are', async () => {
    const [from, friend] = [await make({ title: 'Moves', labels: 'bug', weight: 2 }, owner), await make()];
    const thread = await post(`${from.path}/discussions`, { body: 'Said' }, guest);
    await post(`${from.path}/discussions/${thread.body.id}/notes`, { body: 'Replied' });
    await post(`${from.path}/award_emoji`, { name: 'star' }, guest);
    await post(`${from.path}/notes`, { body: `/spend 1h\n/relate #${friend.iid}` });
    const move = (to: number | string, by = owner, path = from.path) => post(`${path}/move`, { to_project_id: to }, by);
    expect((await move(other.id, guest)).status).toBe(404);
    expect((await move(project.id)).body).toMatchObject({
      message: expect.stringContaining('Cannot move issue to project it originates from!'),
    });
    const moved = await move(other.id);
    expect([moved.status, moved.body]).toMatchObject([
      201,
      {
        project_id: other.id,
        title: 'Moves',
        labels: ['bug'],
        weight: 2,
        author: { id: owner.user.id },
        created_at: from.created_at,
        time_stats: { total_time_spent: 3600 },
      },
    ]);
    expect(await get(from.path)).toMatchObject({ state: 'closed', moved_to_id: moved.body.id });
    const there = `/projects/${other.id}/issues/${moved.body.iid}`;
    const threads = await get<{ notes: { body: string }[] }[]>(`${there}/discussions`);
    expect(threads.map(({ notes }) => notes.map(({ body }) => body))).toContainEqual(['Said', 'Replied']);
    expect(await get<Json[]>(`${there}/award_emoji`)).toMatchObject([{ name: 'star' }]);
    expect(await get<Json[]>(`${there}/links`)).toMatchObject([{ id: friend.id }]);
    const moves = async (at: string, by = owner) => (await get<{ moves: Json }>(`${at}?with_moves=true`, by)).moves;
    const none = { moved_from: null, moved_to: null, duplicate_of: null, promoted_to: null };
    expect(await moves(from.path)).toEqual({
      ...none,
      moved_to: {
        title: 'Moves',
        reference: `${group.full_path}/${other.path}#${moved.body.iid}`,
        web_url: `${app.url}/${group.full_path}/${other.path}/-/issues/${moved.body.iid}`,
      },
    });
    expect(await moves(there)).toMatchObject({
      ...none,
      moved_from: { reference: `${group.full_path}/${project.path}#${from.iid}` },
    });
    // Who does not see where it went is told nothing of it.
    expect(await moves(from.path, guest)).toEqual(none);
    expect(await get(from.path)).not.toHaveProperty('moves');
    // Not everybody who reads it there sees the project that it came from.
    expect(await bodies(there)).toContain('moved from an issue of another project');
    expect((await move(other.id)).status).toBe(400);
  });

  it('are cloned, with or without comments', async () => {
    const { path } = await make({ title: 'Again', description: 'Text' }, guest);
    await post(`${path}/notes`, { body: 'Said' });
    const clone = (json: Json, by = owner) => post(`${path}/clone`, json, by);
    expect((await clone({ to_project_id: project.id }, guest)).status).toBe(400);
    expect((await clone({ to_project_id: 999_999_999 })).status).toBe(404);
    const bare = await clone({ to_project_id: project.id });
    expect([bare.status, bare.body]).toMatchObject([201, { title: 'Again', author: { id: owner.user.id } }]);
    expect(await bodies(`${base}/${bare.body.iid}`)).not.toContain('Said');
    const full = await clone({ to_project_id: other.id, with_notes: true });
    expect(await bodies(`/projects/${other.id}/issues/${full.body.iid}`)).toContain('Said');
    const done = await post(`${path}/notes`, { body: `/clone ${group.full_path}/${other.path} --with_notes` });
    expect(done.body).toMatchObject({ commands_changes: { clone_with_notes: true } });
    expect(await get(path)).toMatchObject({ state: 'opened', moved_to_id: null });
  });
});
