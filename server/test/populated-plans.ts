/** What people plan in the group of the populated instance: issues of its first epic, and epics around it. */
import type { TestApp } from './app.ts';
import { type BuiltToken, type buildGroup, buildProject } from './factories.ts';

const three = [1, 2, 3] as const;

/** Leaves three of everything that lists of epics show; answers a comment that has reactions. */
export async function plan(
  app: TestApp,
  admin: BuiltToken,
  group: Awaited<ReturnType<typeof buildGroup>>,
): Promise<{ epics: number }> {
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
  return { epics: said };
}
