/**
 * Merge trains whose server is killed again and again while a runner outside of it ends their pipelines, some of them badly.
 * Afterwards the target branch is what was tested, in the order of joining, and nobody who joined was forgotten.
 */
import { mkdirSync } from 'node:fs';
import { numbers } from '../../scripts/lib/numbers.ts';
import type { Suite } from '../src/support/suite.ts';
import { commit, createFile, createProject, type Member, type Project, startCluster } from './cluster.ts';

const length = 12;
const roundSeconds = 240;

const config = `test:
  script: ['true']
  rules: [{ if: '$CI_MERGE_REQUEST_EVENT_TYPE == "merge_train"' }]
`;

interface Entry {
  readonly id: number;
  readonly status: string;
  readonly merge_request: { readonly iid: number };
  readonly pipeline: { readonly sha: string; readonly status: string } | null;
}

interface Taken {
  readonly id: number;
  readonly token: string;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Repeats what a server that dies may not answer; null once the round is over. */
async function insisting<T>(goesOn: () => boolean, ask: () => Promise<T>): Promise<T | null> {
  while (goesOn()) {
    try {
      return await ask();
    } catch {
      await pause(50);
    }
  }
  return null;
}

/** Takes and ends jobs until the round is over: nine of ten pass. */
async function runner(member: Member, token: string, random: (limit: number) => number, goesOn: () => boolean) {
  const send = async (method: string, path: string, json: object) => {
    const answer = await fetch(`${member.instance.url}/api/v4${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(json),
    });
    if (answer.status >= 500) throw new Error(`${path}: ${answer.status}`);
    return answer;
  };
  while (goesOn()) {
    const job = await insisting(goesOn, async () => {
      const answer = await send('POST', '/jobs/request', { token });
      return answer.status === 201 ? ((await answer.json()) as Taken) : null;
    });
    if (job === null) {
      await pause(20);
      continue;
    }
    const failed = random(10) === 0;
    const state = failed ? { state: 'failed', failure_reason: 'script_failure' } : { state: 'success' };
    await insisting(goesOn, () => send('PUT', `/jobs/${job.id}`, { token: job.token, ...state }));
  }
}

/** Every page of a list, asked until the server lives long enough to answer. */
const entriesOf = (member: Member, project: Project, scope: 'active' | 'complete') =>
  member.api.expect<Entry[]>(200, 'GET', `${project.path}/merge_trains?scope=${scope}&sort=asc&per_page=100`);

async function opened(member: Member): Promise<{ readonly project: Project; readonly iids: readonly number[] }> {
  const project = await createProject(member, 'train-kills');
  await member.api.expect(200, 'PUT', project.path, { merge_pipelines_enabled: true, merge_trains_enabled: true });
  await commit(member, project, 'main', [createFile('.gitlab-ci.yml', config)]);
  const iids: number[] = [];
  for (let at = 0; at < length; at++) {
    const branch = `work-${at}`;
    await commit(member, project, branch, [createFile(`${branch}.txt`)], { start_branch: 'main' });
    const request = { source_branch: branch, target_branch: 'main', title: branch };
    const made = await member.api.expect<{ iid: number }>(201, 'POST', `${project.path}/merge_requests`, request);
    iids.push(made.iid);
  }
  return { project, iids };
}

/** What is wrong with the target branch and the train, now that it is empty. */
async function complaintsOf(member: Member, project: Project, joined: readonly number[]): Promise<string[]> {
  const complaints: string[] = [];
  const merged = await entriesOf(member, project, 'complete');
  const history = `${project.path}/repository/commits?ref_name=main&first_parent=true&per_page=100`;
  const line = (await member.api.expect<{ id: string }[]>(200, 'GET', history)).map(({ id }) => id).reverse();
  const places = merged.map(({ pipeline }) => line.indexOf(pipeline?.sha ?? ''));
  for (const [at, { merge_request: request, pipeline }] of merged.entries())
    if (places[at] === -1 || pipeline?.status !== 'success')
      complaints.push(
        `!${request.iid} was merged, but its commit ${pipeline?.sha} (${pipeline?.status}) is not on main`,
      );
  if (places.some((place, at) => at > 0 && place <= (places[at - 1] ?? -1)))
    complaints.push(`merged out of order: ${places.join(', ')}`);
  // The first commit came before the train.
  if (line.length !== merged.length + 1)
    complaints.push(`main has ${line.length - 1} commits of ${merged.length} merges`);
  const iids = merged.map(({ merge_request: { iid } }) => iid);
  if (new Set(iids).size !== iids.length) complaints.push(`merged twice: ${iids.join(', ')}`);
  for (const iid of joined) {
    const path = `${project.path}/merge_requests/${iid}`;
    const { state } = await member.api.expect<{ state: string }>(200, 'GET', path);
    if ((state === 'merged') !== iids.includes(iid)) complaints.push(`!${iid} is ${state}, by the train it is not`);
    if (state === 'merged') continue;
    const notes = await member.api.expect<{ body: string }[]>(200, 'GET', `${path}/notes?per_page=100`);
    if (!notes.some(({ body }) => body.startsWith('removed this merge request from the merge train')))
      complaints.push(`!${iid} joined and was neither merged nor told why not`);
  }
  return complaints;
}

/** One train; gives how many were merged, and what is wrong. */
async function oneTrain(member: Member, token: string, random: (limit: number) => number, kills: number) {
  const { project, iids } = await opened(member);
  const end = performance.now() + roundSeconds * 1000;
  let empty = false;
  const goesOn = () => !empty && performance.now() < end;
  const works = runner(member, token, random, goesOn);
  const joined: number[] = [];
  const joins = (async () => {
    for (const iid of iids) {
      const path = `${project.path}/merge_trains/merge_requests/${iid}`;
      const answer = await insisting(goesOn, () => member.api.call('POST', path));
      // 409 and 400 tell of one that joined before the server died.
      if (answer) joined.push(iid);
    }
  })();
  for (let kill = 0; kill < kills; kill++) {
    await pause(100 + random(900));
    await member.kill();
    await member.restart();
  }
  await joins;
  while (goesOn()) {
    const left = await insisting(goesOn, () => entriesOf(member, project, 'active'));
    if (left?.length === 0) empty = true;
    else await pause(100);
  }
  const emptied = empty;
  empty = true;
  await works;
  const complaints = emptied
    ? await complaintsOf(member, project, joined)
    : [`the train is not empty after ${roundSeconds} s`];
  return { merged: (await entriesOf(member, project, 'complete')).length, complaints };
}

/** As many trains, each with so many kills of its server. */
export async function killedTrains(
  suite: Suite,
  directory: string,
  { trains, kills, seed }: { readonly trains: number; readonly kills: number; readonly seed: number },
  say: (line: string) => void,
): Promise<void> {
  await suite.step(
    `trains: ${trains} of ${length} requests keep their promises with ${kills} kills of the server in each`,
    async () => {
      mkdirSync(directory, { recursive: true, mode: 0o711 });
      const random = numbers(seed);
      const cluster = await startCluster(directory, 1);
      const [member] = cluster.members as [Member];
      try {
        const runnerValues = { runner_type: 'instance_type', run_untagged: true };
        const { token } = await member.api.expect<{ token: string }>(201, 'POST', '/user/runners', runnerValues);
        const failures: string[] = [];
        for (let round = 1; round <= trains; round++) {
          const { merged, complaints } = await oneTrain(member, token, random, kills);
          say(
            `train ${round}: ${merged} of ${length} merged, ${kills} kills, ${complaints.join('; ') || 'all as tested'}`,
          );
          failures.push(...complaints.map((complaint) => `train ${round}: ${complaint}`));
        }
        if (failures.length > 0) throw new Error(failures.join('\n'));
      } finally {
        await cluster.stop();
      }
    },
    trains * (roundSeconds + 60),
  );
}
