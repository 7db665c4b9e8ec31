/** What jobs cost beside what they do: starts of the built-in runner, long logs, large artifacts. */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openAsBlob, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Context, spread } from '../context.ts';
import { type ProtocolRunner, protocolRunner, type TakenJob } from '../protocol-runner.ts';
import { createProject, type Project, pipelineJobs, type Target } from '../target.ts';
import { pause } from '../waiting.ts';

interface Job {
  readonly id: number;
  readonly status: string;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

const megabyte = 1024 * 1024;

/** Gives a project its configuration, which no pipeline runs yet. */
const configured = ({ call }: Target, project: Project, content: string) =>
  call('POST', `${project.api}/repository/commits`, {
    ...{ branch: 'main', commit_message: 'Configure [skip ci]' },
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content }],
  });

const run = ({ call }: Target, project: Project) =>
  call<{ id: number }>('POST', `${project.api}/pipeline`, { ref: 'main' });

/** A project whose pipeline runs this configuration, and the pipeline. */
async function started(target: Target, project: Project, content: string): Promise<{ id: number }> {
  await configured(target, project, content);
  return await run(target, project);
}

const heldByProtocol = 'job: {script: [x], tags: [bench-protocol]}\n';

async function ended(target: Target, project: Project, pipeline: { id: number }, count: number): Promise<Job[]> {
  for (const end = performance.now() + 600_000; performance.now() < end; await pause(100)) {
    const { status } = await target.call<{ status: string }>('GET', `${project.api}/pipelines/${pipeline.id}`);
    if (status === 'failed' || status === 'canceled') throw new Error(`the pipeline is ${status}`);
    if (status !== 'success') continue;
    return await pipelineJobs<Job>(target, project, pipeline, count);
  }
  throw new Error('the pipeline did not end within ten minutes');
}

export interface FirstCommand {
  readonly rounds: number;
  /** Of the row. */
  readonly name: string;
  /** Writes the time; `timeOf` finds it in the log, as milliseconds. */
  readonly script: string;
  timeOf(log: string): number;
  /** Milliseconds. */
  readonly goal: number;
}

/** From the claim of a job to its first command, which writes the time. */
export async function overhead(context: Context, target: Target, command: FirstCommand): Promise<void> {
  const { rounds, script, timeOf, goal } = command;
  const project = await createProject(target, 'bench-overhead');
  const config = Array.from(
    { length: rounds },
    (_item, at) => `job${at}: {script: ['${script}'], needs: [${at ? `job${at - 1}` : ''}]}\n`,
  ).join('');
  const pipeline = await started(target, project, config);
  const times: number[] = [];
  for (const job of await ended(target, project, pipeline, rounds)) {
    const log = String(await target.call<unknown>('GET', `${project.api}/jobs/${job.id}/trace`));
    times.push(timeOf(log) - Date.parse(job.started_at ?? ''));
  }
  // The first starts the runner.
  const figure = spread(times.toSorted((a, b) => a - b).slice(0, -1));
  context.add({
    name: command.name,
    ours: figure,
    goal: { text: `p50 < ${goal} ms`, met: (figure.p50 ?? Number.NaN) < goal },
    note: 'built-in runner; fetch and checkout included',
  });
}

/** Many short jobs, and the same scripts without us. */
async function shortJobs(context: Context, count: number): Promise<void> {
  const { target } = context.ours;
  const project = await createProject(target, 'bench-short');
  const script = 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done';
  const half = count / 5;
  const config = Array.from(
    { length: 5 },
    (_item, at) => `short${at}: {script: ['${script}'], parallel: ${half}, variables: {GIT_STRATEGY: none}}\n`,
  ).join('');
  const pipeline = await started(target, project, config);
  const found = await ended(target, project, pipeline, count);
  const times = found.flatMap(({ started_at: from, finished_at: to }) => [
    Date.parse(from ?? ''),
    Date.parse(to ?? ''),
  ]);
  const ours = Math.max(...times) - Math.min(...times);
  const directory = mkdtempSync(join(context.directory, 'xargs-'));
  writeFileSync(join(directory, 'short.sh'), `${script}\n`);
  const begin = performance.now();
  await new Promise<void>((resolve, reject) => {
    const child = spawn('xargs', ['-P2', '-n1', 'bash', join(directory, 'short.sh')], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    child.once('error', reject);
    child.once('close', () => resolve());
    child.stdin.end(Array.from({ length: count }, (_item, at) => `${at}\n`).join(''));
  });
  const native = performance.now() - begin;
  context.add({
    name: `${count} short jobs, first started to last finished`,
    ours: { p50: ours },
    native: { p50: native },
    goal: { text: '<= 1.5 x xargs -P2', met: ours <= 1.5 * native },
    note: 'native: the same scripts with xargs -P2; sources are not fetched',
  });
}

/** Takes the job of a new pipeline that only this runner may have. */
async function taken(
  target: Target,
  runner: ProtocolRunner,
  name: string,
): Promise<{ project: Project; job: TakenJob }> {
  const project = await createProject(target, name);
  await started(target, project, heldByProtocol);
  return { project, job: await runner.take() };
}

/** A log of so many megabytes: how fast it is taken, what it costs in memory, and how it is read. */
async function longLog(context: Context, runner: ProtocolRunner, size: number): Promise<void> {
  const { target } = context.ours;
  await target.call('PUT', '/application/settings', { ci_jobs_trace_size_limit: size + 10 });
  const { project, job } = await taken(target, runner, 'bench-log');
  const line = `${'a line of an ordinary log, with nothing that would be compressed well '.repeat(2).slice(0, 99)}\n`;
  const piece = Buffer.from(line.repeat(Math.floor((4 * megabyte) / line.length)));
  const before = context.megabytes();
  let most = before;
  let at = 0;
  const begin = performance.now();
  while (at < size * megabyte) {
    await runner.write(job, at, piece);
    at += piece.length;
    if ((at / piece.length) % 16 === 0) most = Math.max(most, context.megabytes());
  }
  const seconds = (performance.now() - begin) / 1000;
  const mark = Buffer.from('the last line has a needle\n');
  await runner.write(job, at, mark);
  await runner.end(job);
  const rate = at / megabyte / seconds;
  context.add({
    name: `log of ${size} MB taken from a runner, MB a second`,
    ours: { rate },
    goal: { text: '> 100 MB/s', met: rate > 100 },
    note: `memory of all processes ${Math.round(before)} MB before, at most ${Math.round(most)} MB`,
  });
  const trace = `${target.url}/api/v4${project.api}/jobs/${job.id}/trace`;
  const headers = { 'PRIVATE-TOKEN': target.token };
  const times: number[] = [];
  for (let round = 0; round < 20; round++) {
    const from = performance.now();
    const answer = await fetch(trace, {
      headers: { ...headers, Range: `bytes=${round * 20 * megabyte}-${round * 20 * megabyte + 65_535}` },
    });
    if (answer.status !== 206 || (await answer.arrayBuffer()).byteLength !== 65_536) throw new Error('no range');
    times.push(performance.now() - from);
  }
  context.add({ name: `64 KiB out of a log of ${size} MB`, ours: spread(times) });
  const reading = performance.now();
  const { matches } = await target.call<{ matches: unknown[] }>(
    'GET',
    `${project.api}/jobs/${job.id}/trace/search?search=needle`,
  );
  if (matches.length !== 1) throw new Error(`${matches.length} matches`);
  const searched = performance.now() - reading;
  const after = context.megabytes();
  context.add({
    name: `search through a log of ${size} MB`,
    ours: { p50: searched },
    note: `memory afterwards ${Math.round(after)} MB`,
  });
}

/** An archive without compression: one large file of zeros and a small one. Written as it goes, for it is large. */
function writeArchive(path: string, size: number): void {
  const file = openSync(path, 'w');
  const directory: Buffer[] = [];
  let at = 0;
  const put = (data: Buffer) => {
    writeSync(file, data);
    at += data.length;
  };
  const entry = (name: string, pieces: number, piece: Buffer) => {
    let crc = 0;
    for (let index = 0; index < pieces; index++) crc = crc32(piece, crc);
    const length = pieces * piece.length;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc, 10);
    common.writeUInt32LE(length, 14);
    common.writeUInt32LE(length, 18);
    common.writeUInt16LE(name.length, 22);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, central, Buffer.from(name)]));
    put(Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, Buffer.from(name)]));
    for (let index = 0; index < pieces; index++) put(piece);
  };
  entry('large.bin', size, Buffer.alloc(megabyte));
  entry('report/index.html', 1, Buffer.from('<p>small</p>\n'));
  const start = at;
  const list = Buffer.concat(directory);
  put(list);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(2, 8);
  end.writeUInt16LE(2, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(start, 16);
  put(end);
  closeSync(file);
}

async function singleFile(context: Context, runner: ProtocolRunner, size: number): Promise<void> {
  const { target } = context.ours;
  await target.call('PUT', '/application/settings', { max_artifacts_size: size + 100 });
  const { project, job } = await taken(target, runner, 'bench-artifact');
  const path = join(context.directory, 'large.zip');
  writeArchive(path, size);
  const form = new FormData();
  form.set('file', await openAsBlob(path), 'artifacts.zip');
  const begin = performance.now();
  await runner.upload(job, form);
  const seconds = (performance.now() - begin) / 1000;
  const rate = statSync(path).size / megabyte / seconds;
  await runner.end(job);
  rmSync(path);
  const times: number[] = [];
  for (let round = 0; round < 30; round++) {
    const from = performance.now();
    const text = await target.call<unknown>('GET', `${project.api}/jobs/${job.id}/artifacts/report/index.html`);
    if (!String(text).includes('small')) throw new Error('not the file');
    times.push(performance.now() - from);
  }
  const figure = spread(times);
  context.add({
    name: `one file from inside an artifact of ${size} MB`,
    ours: figure,
    goal: { text: 'p50 < 50 ms', met: (figure.p50 ?? Number.NaN) < 50 },
    note: `uploaded with ${Math.round(rate)} MB a second`,
  });
}

/** How long a job waits for a runner that has nothing to do and whose request is held; polling would cost half an interval. */
async function pickUp(context: Context, runner: ProtocolRunner, rounds: number): Promise<void> {
  const { target } = context.ours;
  const project = await createProject(target, 'bench-pick-up');
  await configured(target, project, heldByProtocol);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    let answered = 0;
    const job = runner.take().then((found) => {
      answered = performance.now();
      return found;
    });
    // The request is held before there is a job; answers of several moments into it are among the rounds.
    await pause(300 + (round % 10) * 100);
    const created = await run(target, project);
    const known = performance.now();
    const found = await job;
    const [own] = await pipelineJobs<Job>(target, project, created, 1);
    if (own?.id !== found.id) throw new Error('the runner has been given another job');
    times.push(Math.max(0, answered - known));
    await runner.end(found);
  }
  const figure = spread(times);
  context.add({
    name: 'pipeline acknowledged to its job in the hands of an idle runner that holds a request',
    ours: figure,
    goal: {
      text: 'p50 <= 100 ms, p95 <= 500 ms',
      met: (figure.p50 ?? Number.NaN) <= 100 && (figure.p95 ?? Number.NaN) <= 500,
    },
    note: `${rounds} rounds; 0 where the runner had the job before the answer about its pipeline was read`,
  });
}

export async function jobs(context: Context): Promise<void> {
  await overhead(context, context.ours.target, {
    rounds: 20,
    name: 'claim of a job to its first command, with the sources',
    script: 'date "+at %s%3N"',
    timeOf: (log) => Number(/^at (\d{13})/m.exec(log)?.[1]),
    goal: 80,
  });
  await shortJobs(context, 500);
  const runner = await protocolRunner(context.ours.target, 'bench-protocol');
  await pickUp(context, runner, 40);
  await longLog(context, runner, 500);
  await singleFile(context, runner, 1000);
}
