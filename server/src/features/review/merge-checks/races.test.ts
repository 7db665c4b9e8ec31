/** Slow, sampled: every round waits for real git.
 * Pushes, pipelines, external status checks and merges at the same time. Whatever the order: nothing is merged that a rule
 * refuses for the very commit that was merged.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildToken } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { type Next, seeded } from '../../../../test/histories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let git: GitClient;
let owner: BuiltToken;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  git = await gitClient();
  owner = await buildToken(app);
});
afterAll(async () => {
  await git.close();
  await app.close();
});

interface Rules {
  readonly pipelines: boolean;
  readonly checks: boolean;
}

interface Place extends Rules {
  readonly project: RepositoryProject;
  readonly checkId: unknown;
}

async function build({ pipelines, checks }: Rules): Promise<Place> {
  const settings = {
    only_allow_merge_if_pipeline_succeeds: pipelines,
    only_allow_merge_if_all_status_checks_passed: checks,
  };
  const project = await buildRepositoryProject(app, { owner, settings });
  const json = { name: 'gate', external_url: 'https://gate.example.org/' };
  const check = await project.api('POST', '/external_status_checks', { json });
  return { project, pipelines, checks, checkId: check.body.id };
}

/** What is known of a pushed commit: how both rules judge it, and whether the verdicts have been sent. */
interface Pushed {
  readonly sha: string;
  readonly pipeline: 'success' | 'failed';
  readonly check: 'passed' | 'failed';
  pipelineSent: boolean;
  checkSent: boolean;
}

/** Whether the rules of the place let the commit be merged, by verdicts that were sent. */
const isAllowed = ({ pipelines, checks }: Rules, commit: Pushed) =>
  (!pipelines || (commit.pipeline === 'success' && commit.pipelineSent)) &&
  (!checks || (commit.check === 'passed' && commit.checkSent));

async function pause(next: Next): Promise<void> {
  for (let turns = next(400); turns > 0; turns -= 1) await nextTurn();
}

/** One request: somebody pushes, services send verdicts, somebody else tries to merge all the while. */
async function race(
  { project, checkId }: Place,
  name: string,
  next: Next,
): Promise<{ commits: Pushed[]; iid: number; refusals: number }> {
  const clone = `clone-${project.id}-${name}`;
  await git.run(['clone', '-q', project.remote(project.owner.secret), clone]);
  await git.run(['checkout', '-q', '-b', name], clone);
  const commits: Pushed[] = [];
  const push = async (final: boolean) => {
    const sha = await git.commit(clone, name, `${name} ${commits.length}\n`);
    const commit: Pushed = {
      sha,
      pipeline: final || next(2) === 0 ? 'success' : 'failed',
      check: final || next(2) === 0 ? 'passed' : 'failed',
      pipelineSent: false,
      checkSent: false,
    };
    // Known before it is visible to anybody.
    commits.push(commit);
    const { code } = await git.try(['push', '-q', 'origin', name], clone);
    return code === 0 ? commit : null;
  };
  const merged = async () => (await project.api('GET', base)).body.state === 'merged';

  await push(false);
  const made = await project.api<{ iid: number }>('POST', '/merge_requests', {
    json: { source_branch: name, target_branch: 'main', title: name },
  });
  expect(made.status).toBe(201);
  const base = `/merge_requests/${made.body.iid}`;
  let refusals = 0;
  let over = false;

  const judgePipeline = async (commit: Pushed) => {
    await pause(next);
    const states = next(2) === 0 ? ['running', commit.pipeline] : [commit.pipeline];
    for (const state of states) {
      if (state === commit.pipeline) commit.pipelineSent = true;
      await project.api('POST', `/statuses/${commit.sha}`, { json: { state, ref: name, name: 'ci' } });
    }
  };
  const judgeCheck = async (commit: Pushed) => {
    await pause(next);
    commit.checkSent = true;
    const json = { external_status_check_id: checkId, sha: commit.sha, status: commit.check };
    // Refused until the request has followed its branch to the commit, and once there is a newer one.
    for (let tries = 0; tries < 40 && !over; tries += 1) {
      const { status } = await project.api('POST', `${base}/status_check_responses`, { json });
      if (status === 201) return;
      await pause(next);
    }
  };
  const pushing = async () => {
    const verdicts: Promise<void>[] = [];
    const judge = (commit: Pushed) => verdicts.push(judgePipeline(commit), judgeCheck(commit));
    judge(commits[0] as Pushed);
    for (let left = 1 + next(3); left >= 0 && !(await merged()); left -= 1) {
      await pause(next);
      const commit = await push(left === 0);
      // Before anybody has processed the push, and before a verdict was sent.
      if (next(2) === 0) await tryMerge();
      if (commit) judge(commit);
    }
    await Promise.all(verdicts);
  };
  const tryMerge = async () => {
    const sha = next(4) === 0 ? commits.at(-1)?.sha : undefined;
    const json: Json = { ...(sha ? { sha } : {}), should_remove_source_branch: false };
    const { status } = await project.api('PUT', `${base}/merge`, { json });
    expect([200, 405, 409, 422]).toContain(status);
    if (status !== 200) refusals += 1;
    return status === 200;
  };
  const merging = async () => {
    while (!over && !(await tryMerge())) await pause(next);
  };
  const merger = merging();
  try {
    await pushing();
    // The last commit passes everything: sooner or later it, or one before it, is merged.
    await expect.poll(merged).toBe(true);
  } finally {
    over = true;
    await merger;
  }
  return { commits, iid: made.body.iid, refusals };
}

const seed = Number(process.env.RACES_SEED ?? 20_261_123);

it.each<Rules>([
  { pipelines: true, checks: false },
  { pipelines: false, checks: true },
  { pipelines: true, checks: true },
])(
  `nothing is merged that a rule refuses for the merged commit: %o (seed ${seed})`,
  {
    retry: 0,
    timeout: 300_000,
  },
  async (rules) => {
    const place = await build(rules);
    const { project } = place;
    const next = seeded(seed);
    const names = ['one', 'two', 'three'];
    const outcomes = await Promise.all(names.map((name) => race(place, name, seeded(next(1_000_000)))));
    for (const { commits, iid } of outcomes) {
      const { body } = await project.api('GET', `/merge_requests/${iid}`);
      expect(body.state).toBe('merged');
      // The merge commit's second parent is what was really merged, whatever the request says of itself.
      const made = await project.api<{ parent_ids: string[] }>('GET', `/repository/commits/${body.merge_commit_sha}`);
      const brought = commits.find(({ sha }) => sha === made.body.parent_ids[1]);
      expect(brought, `a commit that was pushed, of !${iid}`).toBeDefined();
      expect(brought && isAllowed(rules, brought), `${JSON.stringify(brought)} was merged by !${iid}`).toBe(true);
      expect(body.sha).toBe(brought?.sha);
    }
    // The races were some: merges were refused before one was let through.
    expect(outcomes.reduce((sum, { refusals }) => sum + refusals, 0)).toBeGreaterThan(0);
  },
);
