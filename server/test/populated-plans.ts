/** What people plan in the group of the populated instance: issues of its first epic, epics around it, and boards. */
import type { TestApp } from './app.ts';
import { type BuiltToken, type buildGroup, buildProject } from './factories.ts';

const three = [1, 2, 3] as const;

/** Leaves three of everything that lists of epics and boards show; answers a comment that has reactions, and boards. */
export async function plan(
  app: TestApp,
  admin: BuiltToken,
  group: Awaited<ReturnType<typeof buildGroup>>,
  places: readonly string[],
): Promise<{ epics: number; boards: Readonly<Record<string, number>> }> {
  const call = async (method: 'POST' | 'PUT', target: string, json: object = {}) => {
    const answer = await app.api<{ id: number; iid: number }>(method, target, { token: admin.secret, json });
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const base = `/groups/${group.id}/epics`;
  const first = await app.db
    .selectFrom('epics')
    .select('id')
    .where('namespace_id', '=', group.id)
    .where('iid', '=', 1)
    .executeTakeFirstOrThrow();
  const project = await buildProject(app, { namespace: group, owner: admin.user, visibility: 'public' });
  const comment = async () => (await call('POST', `${base}/${first.id}/notes`, { body: 'A comment' })).id;
  const said = await comment();
  for (const name of ['thumbsup', 'heart', 'rocket'])
    for (const thing of ['1', `1/notes/${said}`]) await call('POST', `${base}/${thing}/award_emoji`, { name });
  for (const number of three) {
    await comment();
    const issue = await call('POST', `/projects/${project.id}/issues`, { title: `Issue ${number}` });
    await call('POST', `${base}/1/issues/${issue.id}`);
    await call('POST', `${base}/1/epics`, { title: `Child ${number}` });
    const other = await call('POST', base, { title: `Related ${number}` });
    await call('POST', `${base}/1/related_epics`, { target_group_id: String(group.id), target_epic_iid: other.iid });
    await call('PUT', `${base}/1`, { labels: [`label-${number}`], state_event: 'close' });
    await call('PUT', `${base}/1`, { state_event: 'reopen' });
  }
  const boards: Record<string, number> = {};
  for (const place of places)
    for (const number of three) {
      const { id: board } = await call('POST', `${place}/boards`, { name: `Board ${number}` });
      boards[place] = board;
      for (const list of three) {
        const title = `column-${places.indexOf(place)}-${number}-${list}`;
        const { id } = await call('POST', `${place}/labels`, { name: title, color: '#112233' });
        await call('POST', `${place}/boards/${board}/lists`, { label_id: id });
      }
    }
  // The last one has the id of the board of the group, so that one name serves the paths of both.
  const inGroup = `/groups/${group.id}`;
  for (let board = 0; board < (boards[inGroup] ?? 0); ) {
    ({ id: board } = await call('POST', `${inGroup}/epic_boards`, { name: 'Epics' }));
    if (board !== boards[inGroup]) continue;
    for (const list of three) {
      const { id } = await call('POST', `${inGroup}/labels`, { name: `epics-${list}`, color: '#112233' });
      await call('POST', `${inGroup}/epic_boards/${board}/lists`, { label_id: id });
    }
  }
  return { epics: said, boards };
}

/** A cadence with three iterations that have begun, each in the history of an issue; answers its id. */
export async function iterate(app: TestApp, admin: BuiltToken, groupId: number, projectId: number): Promise<number> {
  const { db } = app;
  const { id } = await db
    .insertInto('iteration_cadences')
    .values({ namespace_id: groupId, title: 'Cadence with a past', automatic: false })
    .returning('id')
    .executeTakeFirstOrThrow();
  const issue = await db
    .selectFrom('issues')
    .select('id')
    .where('project_id', '=', projectId)
    .where('iid', '=', 1)
    .executeTakeFirstOrThrow();
  for (const number of three) {
    const days = { start_date: `2020-0${number}-01`, due_date: `2020-0${number}-14` };
    const iteration = await db
      .insertInto('iterations')
      .values({ ...days, cadence_id: id, namespace_id: groupId, iid: 10 + number, sequence: number })
      .returning('id')
      .executeTakeFirstOrThrow();
    await db
      .insertInto('resource_events')
      .values({
        ...{ kind: 'iteration', action: 'add', iteration_id: iteration.id },
        ...{ noteable_type: 'issue', noteable_id: issue.id, user_id: admin.user.id },
      })
      .execute();
  }
  return id;
}
