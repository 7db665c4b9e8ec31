/** What reviewers wait for: the patch of a merge request, the first byte of a large diff, and mergeability after a push. */
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { type Context, type Loaded, readRow, spread, timeRow, within } from '../context.ts';
import { timed } from '../load.ts';
import { git } from '../process.ts';
import { below } from '../report.ts';
import { pushAll } from '../target.ts';

/** A change as the issue of reviews names it: 500 files and 20,000 lines. */
const changedFiles = 500;
const changedLines = 40;
const rounds = 10;

/** Milliseconds until the first byte of an answer is here; the rest is read and let go. */
function firstByte({ target, project }: Loaded, path: string): Promise<number> {
  const ask = target.wire({ path: `/api/v4${project.api}${path}` });
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(ask.path, target.url),
      { headers: { 'PRIVATE-TOKEN': target.token, ...ask.headers } },
      (response) => {
        let first = Number.NaN;
        response.on('data', () => {
          if (Number.isNaN(first)) first = performance.now() - begin;
        });
        response.once('end', () =>
          response.statusCode === 200 ? resolve(first) : reject(new Error(`${path}: ${response.statusCode}`)),
        );
        response.once('error', reject);
      },
    );
    sent.once('error', reject);
    sent.end();
  });
}

/** A copy with branches that each change the same number of files and lines, no two alike. */
async function prepare(
  context: Context,
  stamp: string,
): Promise<{ copy: string; branchOf: (round: number) => string }> {
  const copy = join(context.directory, `reviews-${stamp}.git`);
  await git(context.directory, ['clone', '--quiet', '--bare', context.repository.path, copy]);
  const branchOf = (round: number) => `review-${stamp}-${round}`;
  const input = Array.from({ length: rounds }, (_none, round) => {
    const files = Array.from({ length: changedFiles }, (_file, at) => {
      const lines = Array.from(
        { length: changedLines },
        (_line, line) => `line ${line} of ${at} in ${round}, ${stamp}`,
      );
      const text = `${lines.join('\n')}\n`;
      return `M 100644 inline review/part${at % 20}/file${at}.txt\ndata ${Buffer.byteLength(text)}\n${text}\n`;
    });
    return `commit refs/heads/${branchOf(round)}\ncommitter B <b@example.com> 17000000${10 + round} +0000\ndata 7\nChange\n\nfrom refs/heads/main^0\n${files.join('')}\n`;
  });
  await git(copy, ['fast-import', '--quiet'], input.join(''));
  return { copy, branchOf };
}

const open = async ({ target, project }: Loaded, source: string): Promise<number> =>
  (
    await target.call<{ iid: number }>('POST', `${project.api}/merge_requests`, {
      source_branch: source,
      target_branch: 'main',
      title: `Review of ${source}`,
    })
  ).iid;

/** Milliseconds from the end of a push until the merge request has its commit and is known to be mergeable. */
async function mergeable({ target, project }: Loaded, iid: number, sha: string): Promise<number> {
  const begin = performance.now();
  for (;;) {
    const found = await target.call<{ sha: string; detailed_merge_status: string }>(
      'GET',
      `${project.api}/merge_requests/${iid}`,
    );
    if (found.sha === sha && found.detailed_merge_status === 'mergeable') return performance.now() - begin;
    if (performance.now() - begin > 30_000) throw new Error(`not mergeable: ${found.detailed_merge_status}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export async function reviews(context: Context): Promise<void> {
  const stamp = Date.now().toString(36);
  const { copy, branchOf } = await prepare(context, stamp);
  const requests = new Map<Loaded, number[]>();
  for (const loaded of [context.ours, ...(context.peer ? [context.peer] : [])]) {
    await pushAll({ path: copy }, loaded.project.remote, `review-${stamp}-`);
    const iids: number[] = [];
    for (let round = 0; round < rounds; round += 1) iids.push(await open(loaded, branchOf(round)));
    requests.set(loaded, iids);
  }
  const iidOf = (loaded: Loaded, round: number) => requests.get(loaded)?.[round] ?? 0;
  const half = rounds / 2;

  await timeRow(
    context,
    'raw diff of 500 files, first',
    half,
    (loaded, round) =>
      timed(() => loaded.target.call('GET', `${loaded.project.api}/merge_requests/${iidOf(loaded, round)}/raw_diffs`)),
    (round) => timed(() => git(copy, ['diff', `main...${branchOf(round)}`])),
    { goal: within(1.1) },
  );
  await timeRow(
    context,
    'first byte of the changes of 500 files, first',
    half,
    (loaded, round) => firstByte(loaded, `/merge_requests/${iidOf(loaded, half + round)}/diffs?per_page=100`),
    undefined,
    { goal: (ours) => below(150, 'p95', { p95: ours.p95 ?? Number.NaN }) },
  );
  await readRow(context, 'raw diff of 500 files, again', (loaded) => [
    { path: `/api/v4${loaded.project.api}/merge_requests/${iidOf(loaded, 0)}/raw_diffs` },
  ]);

  const work = join(context.directory, `reviews-work-${stamp}`);
  const { ours } = context;
  await git(context.directory, ['clone', '--quiet', '--branch', branchOf(0), copy, work]);
  await git(work, ['remote', 'set-url', 'origin', ours.project.remote]);
  let pushed = 0;
  const pushedToMergeable = async () => {
    writeFileSync(join(work, 'pushed.txt'), `${pushed}\n`);
    await git(work, ['add', 'pushed.txt']);
    await git(work, ['commit', '--quiet', '-m', `Push ${pushed++}`]);
    const sha = await git(work, ['rev-parse', 'HEAD']);
    await git(work, ['push', '--quiet', 'origin', branchOf(0)]);
    return await mergeable(ours, iidOf(ours, 0), sha);
  };
  const mergeableRow = async (name: string, times: number, before?: (round: number) => Promise<unknown>) => {
    const found: number[] = [];
    for (let round = 0; round < times; round += 1) {
      await before?.(round);
      found.push(await pushedToMergeable());
    }
    const figure = spread(found);
    context.add({ name, ours: figure, goal: below(200, 'p95', { p95: figure.p95 ?? Number.NaN }) });
  };
  await mergeableRow('push to mergeable', 2 * rounds);
  await mergeableRow('push to mergeable, behind one of 100 branches', half, (round) => {
    const refs = Array.from({ length: 100 }, (_none, at) => `HEAD:refs/heads/many-${stamp}-${round}-${at}`);
    return git(work, ['push', '--quiet', 'origin', ...refs]);
  });
}
