/** A project with rows in every table that archives of projects hold. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { TestApp } from './app.ts';
import { eventually } from './ci.ts';
import { buildUser } from './factories.ts';
import { picture } from './project-archives.ts';
import type { Json, RepositoryProject } from './repositories.ts';

/** A repeatable source of choices. */
export function choices(seed: number) {
  let state = seed;
  const below = (most: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
  return { below, one: <T>(list: readonly T[]): T => list[below(list.length)] as T, maybe: () => below(2) === 0 };
}

type Call = (method: 'POST' | 'PUT', path: string, json?: Json) => Promise<Json>;

/** Adds rows to the project of `archiveWorld`, by chance: as many as its tests want, other ones of each seed. */
export async function fillProject(
  app: TestApp,
  { source, seed }: { readonly source: RepositoryProject; readonly seed: number },
): Promise<void> {
  const call: Call = async (method, path, json) => {
    const answer = await source.api<Json>(method, path, json ? { json } : {});
    expect([path, answer.status < 300, answer.body]).toEqual([path, true, answer.body]);
    return answer.body;
  };
  const chance = choices(seed);
  const reviewer = await buildUser(app);
  await call('POST', '/members', { user_id: reviewer.id, access_level: 40 });
  await planned(call, source, seed, chance);
  await reviewed(app, call, source, seed, reviewer.id);
  const pipelines = await ran(app, source, seed, chance);
  await delivered(app, source, seed, { pipelines, reviewer: reviewer.id, chance });
  await suggested(app, source, seed, reviewer.id);
  await scanned(app, source, seed, reviewer.id);
}

type Chance = ReturnType<typeof choices>;

async function planned(call: Call, source: RepositoryProject, seed: number, { below, maybe }: Chance): Promise<void> {
  const user = source.owner.user.id;
  const issues: Json[] = [];
  for (let count = 2 + below(3); count > 0; count--)
    issues.push(
      await call('POST', '/issues', {
        title: `Planned ${seed}.${count}`,
        labels: 'bug',
        assignee_ids: [user],
        ...(maybe() ? { weight: below(9), due_date: '2031-05-06' } : {}),
      }),
    );
  const [first, second] = issues as [Json, Json];
  const at = `/issues/${String(first.iid)}`;
  await call('POST', `${at}/award_emoji`, { name: 'tada' });
  await call('POST', `${at}/add_spent_time`, { duration: `${1 + below(5)}h` });
  await call('PUT', at, { state_event: 'close', add_labels: 'idea' });
  await call('POST', `${at}/links`, { target_project_id: source.id, target_issue_iid: second.iid });
  const snippet = await call('POST', '/snippets', {
    ...{ title: `Notes ${seed}`, description: 'Kept', visibility: 'private' },
    files: [{ file_path: 'a/b.txt', content: `content ${seed}` }],
  });
  const snippetAt = `/snippets/${String(snippet.id)}`;
  await call('POST', `${snippetAt}/award_emoji`, { name: 'eyes' });
  const note = await call('POST', `${snippetAt}/notes`, { body: `Noted, ${seed}` });
  await call('POST', `${snippetAt}/notes/${String(note.id)}/award_emoji`, { name: 'tada' });
  const incident = await call('POST', '/issues', { title: `Outage ${seed}`, issue_type: 'incident' });
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(picture)]), 'chart.png');
  form.set('url', 'https://charts.example/1');
  const image = await source.api('POST', `/issues/${String(incident.iid)}/metric_images`, { form });
  expect(image.status).toBe(201);
  const board = await call('POST', '/boards', { name: `Board ${seed}` });
  const { body: labels } = await source.api<Json[]>('GET', '/labels');
  await call('POST', `/boards/${String(board.id)}/lists`, { label_id: labels[0]?.id });
  await call('PUT', `/boards/${String(board.id)}`, { labels: 'bug' });
}

/** Comments on a line, then takes the commit with it out of the branch. */
async function rewritten(call: Call, source: RepositoryProject, seed: number): Promise<void> {
  const versions = async () => (await source.api<Json[]>('GET', '/merge_requests/1/versions')).body;
  const request = (await source.api<Json>('GET', '/merge_requests/1')).body;
  const before = await versions();
  const file = before.length > 1 ? `change-${seed - 1}.txt` : 'change.txt';
  await call('POST', '/merge_requests/1/discussions', {
    body: `On a line, ${seed}`,
    position: {
      ...(request.diff_refs as Json),
      ...{ position_type: 'text', old_path: file, new_path: file, new_line: 1 },
    },
  });
  await source.commit('change', { [`change-${seed}.txt`]: 'change' }, { start_branch: 'main', force: true });
  await eventually('another version', async () => (await versions()).length > before.length);
}

async function reviewed(app: TestApp, call: Call, source: RepositoryProject, seed: number, reviewer: number) {
  await rewritten(call, source, seed);
  await call('PUT', '/merge_requests/1', { reviewer_ids: [reviewer], assignee_ids: [reviewer] });
  const note = await call('POST', '/merge_requests/1/notes', { body: `Seen, ${seed}` });
  await call('POST', `/merge_requests/1/notes/${String(note.id)}/award_emoji`, { name: 'eyes' });
  await call('POST', '/approval_rules', {
    ...{ name: `Security ${seed}`, approvals_required: 1, user_ids: [reviewer] },
    protected_branch_ids: [((await source.api<Json[]>('GET', '/protected_branches')).body[0] as Json).id],
  });
  const { id, head_sha } = await app.db
    .selectFrom('merge_requests')
    .select(['id', 'head_sha'])
    .where('project_id', '=', source.id)
    .where('iid', '=', 1)
    .executeTakeFirstOrThrow();
  const approval = { merge_request_id: id, user_id: reviewer, head_sha: head_sha ?? '', patch_id: '0'.repeat(40) };
  await app.db.insertInto('approvals').values(approval).execute();
  const [branch] = (await source.api<Json[]>('GET', '/protected_branches')).body;
  await call('POST', '/external_status_checks', {
    ...{ name: `Check ${seed}`, external_url: `https://check.example/${seed}` },
    protected_branch_ids: [branch?.id],
  });
  await call('POST', '/approvals', { reset_approvals_on_push: false, merge_requests_author_approval: seed > 1 });
  await call('POST', '/merge_requests/1/add_spent_time', { duration: `${seed}h` });
  const merged = await app.db
    .selectFrom('merge_requests')
    .select(['id', 'head_sha'])
    .where('project_id', '=', source.id)
    .where('iid', '=', 2)
    .executeTakeFirstOrThrow();
  const dependency = { blocking_id: merged.id, blocked_id: id };
  await app.db
    .insertInto('merge_request_dependencies')
    .values(dependency)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await app.db
    .insertInto('merge_request_requested_changes')
    .values({ merge_request_id: id, user_id: reviewer })
    .execute();
  const context = { merge_request_id: id, sha: merged.head_sha ?? '', committed_at: new Date('2026-01-02T03:04:05Z') };
  await app.db
    .insertInto('merge_request_context_commits')
    .values(context)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const lock = { project_id: source.id, user_id: reviewer, path: `a/${seed}.txt`, lfs: false };
  await app.db.insertInto('path_locks').values(lock).execute();
}

/** Pipelines that have ended, the second one a child of the first; their numbers. */
async function ran(app: TestApp, source: RepositoryProject, seed: number, { below, one, maybe }: Chance) {
  const { body: head } = await source.api<Json>('GET', '/repository/commits/main');
  const [project_id, user_id] = [source.id, source.owner.user.id];
  const at = new Date('2026-01-02T03:04:05.678Z');
  const request = await app.db
    .selectFrom('merge_requests')
    .select('id')
    .where('project_id', '=', project_id)
    .where('iid', '=', 1)
    .executeTakeFirstOrThrow();
  const numbers: number[] = [];
  let before: { pipeline: number; job: number } | null = null;
  for (const kind of ['push', 'parent_pipeline', 'merge_request_event'] as const) {
    const number = seed * 100 + numbers.length;
    const { id } = await app.db
      .insertInto('pipelines')
      .values({
        ...{ project_id, iid: number, source: kind, ref: 'main', sha: String(head.id), user_id },
        ...{ status: one(['success', 'failed', 'canceled']), stages: ['build', 'test'], warnings: '["a warning"]' },
        ...(maybe() ? { coverage: '81.50', name: `Nightly ${seed}`, duration: below(1000) } : {}),
        ...(kind === 'merge_request_event' ? { merge_request_id: request.id } : {}),
        ...{ created_at: at, updated_at: at, started_at: at, finished_at: at, queued_duration: below(100) },
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const jobs = Array.from({ length: 2 + below(3) }, (_, index) => ({
      ...{ project_id, pipeline_id: id, name: `job ${index}`, stage: index === 0 ? 'build' : 'test', user_id },
      ...{ stage_index: index === 0 ? 0 : 1, status: one(['success', 'failed', 'skipped']), ref: 'main', plan: '{}' },
      ...{
        kind: index === 0 ? ('bridge' as const) : ('job' as const),
        created_at: at,
        updated_at: at,
        tag_list: ['linux'],
      },
      ...{ needs: index === 1 ? '[{"name":"job 0","artifacts":true}]' : null, exit_code: index, queued_at: at },
      ...{
        failure_reason: index === 1 ? 'script_failure' : null,
        allow_failure: maybe(),
        coverage: maybe() ? '12.30' : null,
      },
    }));
    const made = await app.db.insertInto('jobs').values(jobs).returning('id').execute();
    await app.db
      .insertInto('commit_statuses')
      .values({
        ...{ project_id, pipeline_id: id, name: 'external', status: one(['success', 'failed'] as const), user_id },
        ...{ description: 'Checked elsewhere', target_url: 'https://x.example/1', created_at: at },
      })
      .execute();
    if (kind === 'parent_pipeline' && before)
      await app.db
        .insertInto('pipeline_sources')
        .values({
          ...{ pipeline_id: id, source_job_id: before.job, source_pipeline_id: before.pipeline },
          source_project_id: project_id,
        })
        .execute();
    before = { pipeline: id, job: made[1]?.id ?? 0 };
    numbers.push(number);
  }
  await app.db
    .insertInto('resource_groups')
    .values({ project_id, key: `production-${seed}`, process_mode: 'oldest_first' })
    .execute();
  await app.db
    .insertInto('pipeline_schedules')
    .values({
      ...{ project_id, owner_id: user_id, description: `Nightly ${seed}`, ref: 'refs/heads/main', cron: '0 1 * * *' },
      ...{ cron_timezone: 'UTC', active: false, next_run_at: at },
    })
    .execute();
  return numbers;
}

interface Delivered {
  readonly pipelines: readonly number[];
  readonly reviewer: number;
  readonly chance: Chance;
}

async function delivered(app: TestApp, source: RepositoryProject, seed: number, given: Delivered): Promise<void> {
  const { pipelines, reviewer, chance } = given;
  const [project_id, user_id] = [source.id, source.owner.user.id];
  const { body: head } = await source.api<Json>('GET', '/repository/commits/main');
  const { id: environment_id } = await app.db
    .insertInto('environments')
    .values({
      ...{ project_id, name: `production/${seed}`, slug: `production-${seed}`, tier: 'production' as const },
      ...(chance.maybe() ? { external_url: 'https://x.example', description: 'Live' } : { state: 'stopped' as const }),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const job = await app.db
    .selectFrom('jobs as j')
    .innerJoin('pipelines as p', 'p.id', 'j.pipeline_id')
    .select('j.id')
    .where('p.project_id', '=', project_id)
    .where('p.iid', '=', pipelines[0] ?? 0)
    .orderBy('j.id', 'desc')
    .executeTakeFirstOrThrow();
  const deployment = await app.db
    .insertInto('deployments')
    .values({
      ...{ project_id, environment_id, iid: seed, job_id: job.id, user_id, ref: 'main', tag: false },
      ...{ sha: String(head.id), status: 'success' as const, url: 'https://x.example/live' },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const request = await app.db
    .selectFrom('merge_requests')
    .select('id')
    .where('project_id', '=', project_id)
    .where('iid', '=', 2)
    .executeTakeFirstOrThrow();
  await app.db
    .insertInto('deployment_merge_requests')
    .values({ deployment_id: deployment.id, merge_request_id: request.id })
    .execute();
  await app.db
    .insertInto('deployment_approvals')
    .values({
      deployment_id: deployment.id,
      user_id: reviewer,
      status: 'approved',
      comment: 'Go',
      represented_as: 'QA',
    })
    .execute();
  await app.db
    .insertInto('freeze_periods')
    .values({ project_id, freeze_start: `0 ${seed} * * 5`, freeze_end: '0 7 * * 1', cron_timezone: 'UTC' })
    .execute();
  const protectedOne = await app.db
    .insertInto('protected_environments')
    .values({ project_id, name: `production/${seed}`, required_approval_count: 1 })
    .returning('id')
    .executeTakeFirstOrThrow();
  await app.db
    .insertInto('protected_environment_rules')
    .values({
      ...{ protected_environment_id: protectedOne.id, kind: 'deploy' as const, access_level: 40 },
      required_approvals: 1,
    })
    .execute();
  expect((await source.api('POST', '/releases/v1/evidence')).status).toBe(202);
}

/** Two suggestions of a comment on a line, the first of which was applied. */
async function suggested(app: TestApp, source: RepositoryProject, seed: number, reviewer: number): Promise<void> {
  const request = await app.db
    .selectFrom('merge_requests')
    .select(['id', 'iid', 'head_sha', 'base_sha'])
    .where('project_id', '=', source.id)
    .where('iid', '=', 1)
    .executeTakeFirstOrThrow();
  const [head_sha, base_sha] = [request.head_sha ?? '', request.base_sha ?? ''];
  const position = {
    ...{ base_sha, start_sha: base_sha, head_sha, position_type: 'text', old_path: 'a.txt', new_path: 'a.txt' },
    ...{ old_line: null, new_line: 1 },
  };
  const { id } = await app.db
    .insertInto('notes')
    .values({
      ...{ project_id: source.id, noteable_type: 'merge_request', noteable_id: request.id, noteable_iid: request.iid },
      ...{ discussion_id: String(seed).repeat(40), kind: 'diff', author_id: reviewer, resolvable: true },
      ...{ body: '```suggestion\nx\n```', position: JSON.stringify(position) },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const lines = { note_id: id, from_line: 1, to_line: 2, from_content: 'a\nb\n', to_content: `x${seed}\n` };
  const applied = { applied_at: new Date('2026-01-03T03:04:05Z'), applied_by_id: reviewer, commit_id: head_sha };
  await app.db
    .insertInto('suggestions')
    .values([
      { ...lines, relative_order: 0, ...applied },
      { ...lines, relative_order: 1 },
    ])
    .execute();
}

/** A finding that is a vulnerability somebody has dismissed, and one that is none. */
async function scanned(app: TestApp, source: RepositoryProject, seed: number, reviewer: number): Promise<void> {
  const project_id = source.id;
  const scanner = await app.db
    .insertInto('security_scanners')
    .values({ project_id, external_id: `scanner-${seed}`, name: 'Scanner', vendor: seed > 1 ? 'Vendor' : null })
    .returning('id')
    .executeTakeFirstOrThrow();
  const identifiers = await app.db
    .insertInto('security_identifiers')
    .values(
      ['CWE-79', 'CVE-2026-1'].map((name) => ({
        ...{ project_id, external_type: name.slice(0, 3).toLowerCase(), external_id: `${name}-${seed}`, name },
        url: 'https://weakness.example/1',
      })),
    )
    .returning('id')
    .execute();
  const { id: vulnerability_id } = await app.db
    .insertInto('vulnerabilities')
    .values({
      ...{ project_id, author_id: source.owner.user.id, title: `Weakness ${seed}`, state: 'dismissed' },
      ...{ severity: 'high', confidence: 'unknown', report_type: 'sast', resolved_on_default_branch: seed > 1 },
      ...{ dismissed_at: new Date('2026-01-03T03:04:05Z'), dismissed_by_id: reviewer, updated_by_id: reviewer },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const issues = await app.db
    .selectFrom('issues')
    .select('id')
    .where('project_id', '=', project_id)
    .orderBy('id')
    .limit(2)
    .execute();
  await app.db
    .insertInto('vulnerability_issue_links')
    .values(issues.map(({ id }, at) => ({ vulnerability_id, issue_id: id, link_type: at ? 'related' : 'created' })))
    .execute();
  for (const [at, found] of [vulnerability_id, null].entries()) {
    const { id } = await app.db
      .insertInto('vulnerability_findings')
      .values({
        ...{ uuid: randomUUID(), project_id, vulnerability_id: found, scanner_id: scanner.id },
        ...{ primary_identifier_id: identifiers[at]?.id ?? 0, report_type: 'sast', name: `Weakness ${seed}.${at}` },
        ...{ severity: 'high', confidence: 'unknown', location: '{"file":"a.c","start_line":3}' },
        ...{ links: '[{"name":null,"url":"https://fix.example"}]', location_fingerprint: `${at}`.repeat(40) },
        ...{ project_fingerprint: `${seed}`.repeat(40), metadata_version: '15.0.0', raw_metadata: '{"a": 1}' },
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const ordered = at === 0 ? identifiers : identifiers.toReversed();
    await app.db
      .insertInto('finding_identifiers')
      .values(ordered.map(({ id: identifier_id }, position) => ({ finding_id: id, identifier_id, position })))
      .execute();
  }
}
