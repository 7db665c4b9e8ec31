/** What people say about the first issue and the first merge request of the populated instance, and do with them. */
import type { TestApp } from './app.ts';
import type { BuiltToken } from './factories.ts';

const three = [1, 2, 3] as const;
const emoji = ['thumbsup', 'heart', 'rocket'] as const;

/** Leaves three of everything that lists show; answers a comment of each that has reactions. */
export async function discuss(
  app: TestApp,
  admin: BuiltToken,
  base: string,
  milestone_id: number,
): Promise<{ issues: number; merge_requests: number }> {
  const call = async (method: 'POST' | 'PUT', target: string, json: object) => {
    const answer = await app.api<{ id: number }>(method, target, { token: admin.secret, json });
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const comment = async (thing: string) => (await call('POST', `${base}/${thing}/notes`, { body: 'A comment' })).id;
  const said = { issues: await comment('issues/1'), merge_requests: await comment('merge_requests/1') };
  for (const _ of three) await comment('merge_requests/1');
  for (const name of emoji)
    for (const thing of [
      'issues/1',
      `issues/1/notes/${said.issues}`,
      'merge_requests/1',
      `merge_requests/1/notes/${said.merge_requests}`,
    ])
      await call('POST', `${base}/${thing}/award_emoji`, { name });
  for (const number of three) {
    for (const thing of ['issues/1', 'merge_requests/1']) {
      const change = (json: object) => call('PUT', `${base}/${thing}`, json);
      await change({ labels: [`label-${number}`] });
      await change({ milestone_id: 0 });
      await change({ milestone_id });
      await change({ state_event: 'close' });
      await change({ state_event: 'reopen' });
    }
    await call('PUT', `${base}/issues/1`, { weight: number });
    await call('POST', `${base}/merge_requests/1/draft_notes`, { note: `Draft ${number}` });
    for (const of of [base, `${base}/merge_requests/1`])
      await call('POST', `${of}/approval_rules`, {
        ...{ name: `Rule ${number}`, approvals_required: 1, user_ids: [admin.user.id] },
      });
    const form = new FormData();
    form.append('name', `file-${number}`);
    form.append('file', new Blob(['x']), 'a.txt');
    await app.api('POST', `${base}/secure_files`, { token: admin.secret, form });
    const cache = { protected: false, object_key: number.toString(16).padStart(32, '0'), size: number };
    await app.db
      .insertInto('job_caches')
      .values({ project_id: Number(base.split('/').at(-1)), key: `cache-${number}`, ...cache })
      .execute();
  }
  // At the end: whoever changes a thing has done what was to do.
  for (const iid of three) await call('POST', `${base}/issues/${iid}/todo`, {});
  return said;
}

/** Three personal snippets and three of a project; comments and reactions on the first of those. */
export async function snip(app: TestApp, admin: BuiltToken, base: string): Promise<{ id: number; note: number }> {
  const call = async (target: string, json: object) => {
    const answer = await app.api<{ id: number }>('POST', target, { token: admin.secret, json });
    if (answer.status >= 300) throw new Error(`POST ${target}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.id;
  };
  const snippet = { title: 'x', visibility: 'public', file_name: 'a.txt', content: 'x' };
  const ids: number[] = [];
  for (const _ of three) {
    await call('/snippets', snippet);
    ids.push(await call(`${base}/snippets`, snippet));
  }
  const [id = 0] = ids;
  const first = `${base}/snippets/${id}`;
  const note = await call(`${first}/notes`, { body: 'x' });
  for (const name of emoji) {
    await call(`${first}/notes`, { body: name });
    for (const at of [first, `${first}/notes/${note}`]) await call(`${at}/award_emoji`, { name });
  }
  return { id, note };
}
