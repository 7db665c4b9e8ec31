/** Lists answer of each merge request what reading it alone answers, with the same few statements for any number, and no git. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import type { BuiltToken } from '../../../../test/factories.ts';
import { type Next, pick, seeded } from '../../../../test/histories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { tracedWork } from '../../../../test/traced-work.ts';
import { Level } from '../../../kernel/authz/levels.ts';

const requests = 10;
const rounds = 6;
const seed = Math.trunc(Math.random() * 2 ** 31);
const next: Next = seeded(seed);
const chance = (percent: number) => next(100) < percent;

let app: TestApp;
let project: RepositoryProject;
let people: BuiltToken[];
let check: number;
let rule: number;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app, { files: { 'a.txt': 'one\n' } });
  people = [await project.member(Level.developer), await project.member(Level.developer)];
  const { body: made } = await project.api<Json>('POST', '/external_status_checks', {
    json: { name: 'scan', external_url: 'https://scan.example.com/x' },
  });
  check = Number(made.id);
  const { body: named } = await project.api<Json>('POST', '/approval_rules', {
    json: { name: 'reviewers', approvals_required: 0, user_ids: [people[0]?.user.id] },
  });
  rule = Number(named.id);
  for (let number = 1; number <= requests; number += 1) await open(number);
  // The target moves, so that some of them conflict, and what was known before is not known any more.
  await project.commit('main', [{ action: 'update', file_path: 'a.txt', content: 'ours\n' }]);
  await app.delivery.drain();
});
afterAll(() => app.close());

async function ok(method: 'POST' | 'PUT', path: string, json: Json, token = project.owner.secret): Promise<Json> {
  const { status, body } = await project.api<Json>(method, path, { json, token });
  expect([path, status, body]).toEqual([path, method === 'PUT' ? 200 : 201, body]);
  return body;
}

/** A merge request that is anything by chance; the first ones are a draft, a conflict and a closed one in any case. */
async function open(number: number): Promise<void> {
  const branch = `work-${number}`;
  const conflicting = number === 2 || (number > 3 && chance(15));
  await project.commit(
    branch,
    conflicting
      ? [{ action: 'update', file_path: 'a.txt', content: `${branch}\n` }]
      : [{ action: 'create', file_path: `${branch}.txt`, content: 'x\n' }],
    { start_branch: 'main' },
  );
  const title = number === 1 || chance(15) ? `Draft: ${branch}` : chance(50) ? `PUMP-${number} ${branch}` : branch;
  const author = pick(next, [...people, project.owner]);
  const { id, iid, sha } = (await ok(
    'POST',
    '/merge_requests',
    { source_branch: branch, target_branch: 'main', title },
    author.secret,
  )) as { id: number; iid: number; sha: string };
  const path = `/merge_requests/${iid}`;
  if (chance(30)) {
    const thread = await ok('POST', `${path}/discussions`, { body: 'Why?' });
    if (chance(50)) await ok('PUT', `${path}/discussions/${thread.id}`, { resolved: true });
  }
  for (const person of [...people, project.owner])
    if (chance(40)) await project.api('POST', `${path}/approve`, { token: person.secret });
  if (chance(20)) await ok('POST', `${path}/approval_rules`, { name: 'own', approvals_required: next(3) });
  if (iid > 1 && chance(20)) {
    const { body } = await project.api<Json>('GET', `/merge_requests/${1 + next(iid - 1)}`);
    await ok('POST', `${path}/blocks`, { blocking_merge_request_id: body.id });
  }
  if (chance(20)) await ok('PUT', path, { merge_after: `${chance(50) ? 2020 : 2090}-01-01T00:00:00Z` });
  if (chance(60))
    await app.db
      .insertInto('pipelines')
      .values({
        ...{ iid: number, project_id: project.id, sha, ref: branch, source: 'push', user_id: project.owner.user.id },
        status: pick(next, ['success', 'failed', 'running', 'skipped', 'canceled', 'manual'] as const),
      })
      .execute();
  for (const status of ['failed', 'passed'] as const)
    if (chance(60))
      await app.db
        .insertInto('status_check_responses')
        .values({ merge_request_id: id, check_id: check, sha, status })
        .execute();
  if (chance(10))
    await app.db
      .insertInto('merge_request_requested_changes')
      .values({ merge_request_id: id, user_id: project.owner.user.id })
      .execute();
  if (number === 3 || (number > 3 && chance(8))) await ok('PUT', path, { state_event: 'close' });
  else if (number > 3 && chance(5))
    await app.db.updateTable('merge_requests').set({ state: 'locked' }).where('id', '=', id).execute();
}

/** What the project requires, by chance. */
async function require(): Promise<Json> {
  const settings = {
    only_allow_merge_if_pipeline_succeeds: chance(30),
    allow_merge_on_skipped_pipeline: chance(50),
    only_allow_merge_if_all_discussions_are_resolved: chance(30),
    only_allow_merge_if_all_status_checks_passed: chance(30),
    merge_request_title_regex: chance(20) ? '^(Draft: )?PUMP-' : '',
    merge_method: pick(next, ['merge', 'rebase_merge', 'ff'] as const),
  };
  const approvals = {
    approvals_before_merge: chance(30) ? 1 + next(2) : 0,
    merge_requests_author_approval: chance(50),
    merge_requests_disable_committers_approval: false,
    disable_overriding_approvers_per_merge_request: chance(50),
  };
  const named = { name: 'reviewers', approvals_required: chance(30) ? 1 : 0, user_ids: [people[0]?.user.id] };
  await ok('PUT', '', settings);
  await ok('POST', '/approvals', approvals);
  await ok('PUT', `/approval_rules/${rule}`, named);
  return { ...settings, ...approvals, ...named };
}

const listed = async (path = '?per_page=100') => (await project.api<Json[]>('GET', `/merge_requests${path}`)).body;
const told = (request: Json) => [request.iid, request.merge_status, request.detailed_merge_status];
const byNumber = (one: Json, other: Json) => Number(one.iid) - Number(other.iid);

describe('the status of merge requests in lists', () => {
  it('is not known where the target branch has moved and nobody has looked since', async () => {
    const open = (await listed()).filter(({ state }) => state === 'opened');
    expect(new Set(open.map(({ detailed_merge_status }) => detailed_merge_status))).toEqual(new Set(['unchecked']));
  });

  it('is that of each of them, whatever they are and whatever the project requires', async () => {
    const seen = new Set<unknown>();
    for (let round = 0; round < rounds; round += 1) {
      const required = round === 0 ? {} : await require();
      const alone: Json[] = [];
      for (let iid = 1; iid <= requests; iid += 1)
        alone.push((await project.api<Json>('GET', `/merge_requests/${iid}`)).body);
      const said = JSON.stringify({ seed, round, required });
      expect((await listed()).sort(byNumber).map(told), said).toEqual(alone.map(told));
      for (const { detailed_merge_status } of alone) seen.add(detailed_merge_status);
    }
    // Other lists are made of the same.
    const [first] = await listed('?state=opened&per_page=1');
    const everywhere = await project.api<Json[]>('GET', `/repository/commits/${first?.sha}/merge_requests`);
    const same = everywhere.body.find(({ iid }) => iid === first?.iid);
    expect(same && told(same)).toEqual(first && told(first));
    expect([...seen], `seed ${seed}`).toEqual(expect.arrayContaining(['draft_status', 'conflict', 'not_open']));
  });

  it('takes as many statements for many as for a few, and no git', async () => {
    await ok('PUT', '', {
      only_allow_merge_if_pipeline_succeeds: true,
      only_allow_merge_if_all_discussions_are_resolved: true,
      only_allow_merge_if_all_status_checks_passed: true,
    });
    await ok('POST', '/approvals', { approvals_before_merge: 1 });
    const work = async (page: string) => {
      await listed(page);
      const { statements, processes } = await tracedWork(() => listed(page));
      return { count: statements.filter((text) => !/access_tokens|^update "users"/.test(text)).length, processes };
    };
    const few = await work('?state=opened&per_page=5');
    const many = await work('?state=opened&per_page=100');
    expect(many.processes).toEqual([]);
    expect(many.count).toBeLessThanOrEqual(few.count + 4);
    expect(many.count).toBeLessThanOrEqual(18);
  });
});
