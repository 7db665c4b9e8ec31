/** Issues, comments and people over the API, made by it: what a team asks for all day. */
import { type Context, type Loaded, readRow } from '../context.ts';
import { loadCount } from '../load.ts';
import { atLeast } from '../report.ts';
import { asks } from '../target.ts';

const people = 30;
/** One issue of so many has the label, as many another the person. */
const labelled = 10;

export async function tracker(context: Context): Promise<void> {
  const { ours, peer, connections } = context;
  const count = context.issues;
  const both = [ours, ...(peer ? [peer] : [])];
  const stamp = Date.now().toString(36);
  const ids = new Map<Loaded, { login: string; id: number }>();
  for (const { target, project } of both) {
    await target.call('POST', `${project.api}/labels`, { name: 'pump', color: '#4488cc' });
    for (let at = 0; at < people; at += 1)
      await target.call('POST', '/users', {
        username: `person-${stamp}-${at}`,
        name: `Person ${at}`,
        email: `person-${stamp}-${at}@example.com`,
        password: `pass-${stamp}-word`,
        skip_confirmation: true,
      });
  }
  for (const loaded of both) {
    const user = await loaded.target.call<{ id: number; username?: string; login?: string }>('GET', '/user');
    ids.set(loaded, { id: user.id, login: user.username ?? user.login ?? '' });
  }

  /** Makes so many, and says how many a second; nobody else is measured meanwhile. */
  const made = async (name: string, asksOf: (loaded: Loaded) => readonly { path: string; body: unknown }[]) => {
    const rate = async (loaded: Loaded) =>
      loadCount(
        loaded.target,
        asksOf(loaded).map((ask) => ({ method: 'POST', ...ask })),
        connections,
      );
    const mine = await rate(ours);
    const theirs = peer ? await rate(peer) : undefined;
    context.add({ name, ours: mine, ...(theirs ? { peer: theirs, goal: atLeast(10, mine, theirs) } : {}) });
  };
  await made(`create ${count} issues`, (loaded) =>
    Array.from({ length: count }, (_none, at) => ({
      path: `/api/v4${loaded.project.api}/issues`,
      body: {
        title: `The ${at % 8 === 0 ? 'valve' : 'gauge'} leaks, ${at}`,
        description: `It was seen on day ${at}, and again ${at * 7} hours later.`,
        ...(at % labelled === 0 ? { labels: 'pump' } : {}),
        ...(at % labelled < 2 ? { assignee_ids: [ids.get(loaded)?.id] } : {}),
      },
    })),
  );
  await made(`add ${count / 2} comments`, ({ project }) =>
    Array.from({ length: count / 2 }, (_none, at) => ({
      path: `/api/v4${project.api}/issues/${1 + (at % 50)}/notes`,
      body: { body: `Seen again, ${at}.` },
    })),
  );

  const varied = Array.from({ length: 50 }, (_none, at) => at + 1);
  await readRow(context, `20 of ${count} issues`, ({ project }) =>
    asks(project, varied.slice(0, 10), (page) => `/issues?per_page=20&page=${page}`),
  );
  await readRow(context, 'issues by label and assignee', (loaded) =>
    asks(loaded.project, [1, 2, 3], (page) => {
      const { login } = ids.get(loaded) ?? { login: '' };
      return `/issues?labels=pump&assignee_username=${login}&per_page=20&page=${page}`;
    }),
  );
  await readRow(context, 'issues by a word', ({ project }) =>
    asks(project, [1, 2, 3], (page) => `/issues?search=valve&per_page=20&page=${page}`),
  );
  await readRow(context, 'one issue', ({ project }) => asks(project, varied, (iid) => `/issues/${iid}`));
  await readRow(context, '20 users', () => [{ path: '/api/v4/users?per_page=20' }]);
}
