/** `npm run bench`: the built product, the machine's limits and perhaps a peer, in one run; a table and a file of it. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Context, Loaded } from './context.ts';
import { generate } from './data.ts';
import { type Instance, memoryOfTree, root, startInstance, token } from './process.ts';
import { line, machine, markdown, type Row } from './report.ts';
import { archives } from './rows/archives.ts';
import { ci } from './rows/ci.ts';
import { code } from './rows/code.ts';
import { containers } from './rows/containers.ts';
import { edge } from './rows/edge.ts';
import { folders } from './rows/folders.ts';
import { gitRows } from './rows/git.ts';
import { hands } from './rows/hands.ts';
import { identity } from './rows/identity.ts';
import { issues } from './rows/issues.ts';
import { jobs } from './rows/jobs.ts';
import { manyRefs } from './rows/many-refs.ts';
import { namespaces } from './rows/namespaces.ts';
import { pages } from './rows/pages.ts';
import { pipelines } from './rows/pipelines.ts';
import { reads } from './rows/reads.ts';
import { reviews } from './rows/reviews.ts';
import { schedules } from './rows/schedules.ts';
import { firstStarts, laterStarts, memory } from './rows/start.ts';
import { tracker } from './rows/tracker.ts';
import { trains } from './rows/trains.ts';
import { writes } from './rows/writes.ts';
import { connect, connectPeer, createProject, pushAll, type Target } from './target.ts';
import { pause } from './waiting.ts';

const usage = `npm run bench -- [--only start,reads,folders,edge,identity,writes,tracker,reviews,git,refs,ci,pipelines,schedules,jobs,containers,trains,archives,pages,hands] [--large] [--commits N] [--branches N]
                 [--seconds S] [--connections N] [--issues N] [--peer URL --peer-token TOKEN [--peer-process PID]] [--note TEXT] [--no-file]
       npm run bench -- --only namespaces,issues --seeded DIR [--rounds N] [--match TEXT], after npm run seed -- --data DIR [--issues N]
       npm run bench -- --only code --seeded DIR [--repositories N] [--megabytes N] [--text DIR,...] [--rounds N] [--match TEXT]: fills DIR first, once
A peer is another instance that speaks the v4 API, or a Gitea; rows of starting are ours alone, those of memory without the peer's process.`;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'start,reads,folders,edge,identity,writes,tracker,reviews,git,ci,trains' },
    large: { type: 'boolean', default: false },
    commits: { type: 'string' },
    branches: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '8' },
    peer: { type: 'string' },
    'peer-token': { type: 'string', default: '' },
    note: { type: 'string' },
    issues: { type: 'string', default: '2000' },
    'peer-process': { type: 'string' },
    'no-file': { type: 'boolean', default: false },
    seeded: { type: 'string' },
    rounds: { type: 'string', default: '100' },
    match: { type: 'string', default: '' },
    repositories: { type: 'string', default: '1000' },
    megabytes: { type: 'string', default: '2000' },
    text: { type: 'string', default: join(root, 'node_modules') },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(usage);
  process.exit(0);
}

const groups = options.only.split(',');
const size = {
  commits: Number(options.commits ?? (options.large ? 15_000 : 2000)),
  branches: Number(options.branches),
};
const directory = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
// The embedded database and jobs run under other uids and must be able to pass.
chmodSync(directory, 0o711);
const rows: Row[] = [];
const add = (row: Row) => {
  rows.push(row);
  console.log(line(row));
};

async function filled(target: Target, source: Context['repository']): Promise<Loaded> {
  const project = await createProject(target, 'bench');
  await pushAll(source, project.remote);
  return { target, project };
}

/** The rows of a seeded instance stand alone: their data takes minutes to make. */
async function seededRows(seeded: string): Promise<void> {
  const before = loadavg()[0] ?? 0;
  console.log(`${machine()}; load before: ${before.toFixed(2)}`);
  const where = { directory: resolve(seeded), rounds: Number(options.rounds), match: options.match, add };
  if (groups.includes('namespaces')) await namespaces(where);
  if (groups.includes('issues')) await issues({ ...where, seconds: Number(options.seconds) });
  if (groups.includes('code'))
    await code({
      ...where,
      repositories: Number(options.repositories),
      megabytes: Number(options.megabytes),
      folders: options.text.split(','),
    });
  if (options['no-file']) return;
  writeReport('seeded', [
    `Machine: ${machine()}; load average before the run ${before.toFixed(2)}, after it ${(loadavg()[0] ?? 0).toFixed(2)}`,
    `Data: npm run seed; times p50 / p95 / p99 of ${options.rounds} requests one after the other`,
    ...(options.note ? [options.note] : []),
  ]);
}

function writeReport(name: string, facts: readonly string[]): void {
  const at = new Date().toISOString();
  const file = join(root, 'bench/results', `${at.slice(0, 16).replace(':', '')}-${name}.md`);
  mkdirSync(join(root, 'bench/results'), { recursive: true });
  writeFileSync(file, markdown(`Bench of ${at.slice(0, 10)}`, facts, rows));
  console.log(`written: ${file}`);
}

if (options.seeded !== undefined) {
  await seededRows(options.seeded);
  rmSync(directory, { recursive: true, force: true });
  process.exit(0);
}

let running: Instance | undefined;
try {
  const before = loadavg()[0] ?? 0;
  console.log(`${machine()}; load before: ${before.toFixed(2)}`);
  const repository = await generate(directory, size);
  if (groups.includes('start')) await firstStarts(directory, add);

  const data = join(directory, 'instance');
  running = await startInstance(data);
  const instance = running;
  const context: Context = {
    directory,
    repository,
    ours: await filled(connect('ours', running.url, token), repository),
    peer: options.peer ? await filled(await connectPeer(options.peer, options['peer-token']), repository) : null,
    connections: Number(options.connections),
    seconds: Number(options.seconds),
    issues: Number(options.issues),
    add,
    megabytes: () => memoryOfTree(instance.pid).reduce((sum, share) => sum + share.megabytes, 0),
  };
  const parts = {
    reads,
    folders,
    edge,
    identity,
    writes,
    reviews,
    git: gitRows,
    refs: manyRefs,
    ci,
    pipelines,
    schedules,
    jobs,
    containers,
    tracker,
    trains,
    archives,
    pages,
    hands,
  };
  for (const [name, part] of Object.entries(parts)) if (groups.includes(name)) await part(context);
  const peerProcess = options['peer-process'];
  if (groups.includes('start') || peerProcess !== undefined) {
    const peer = peerProcess === undefined ? {} : { peer: Number(peerProcess) };
    memory(running, 'memory after this load (PSS)', add, peer);
    // Buffers are collected, connections and processes that nobody needs have ended by then.
    await pause(90_000);
    memory(running, 'memory 90 s after this load (PSS)', add, peer);
  }
  await running.stop();
  running = undefined;
  if (groups.includes('start')) await laterStarts(data, add);

  const facts = [
    `Machine: ${machine()}; load average before the run ${before.toFixed(2)}`,
    `Data: ${size.commits.toLocaleString('en')} commits, ${size.branches} branches, generated`,
    `Rates at ${options.connections} connections for ${options.seconds} s, generator on the same processors; times p50 / p95 of one after the other`,
    'Native: for reads a server that sends the same bytes; for git over HTTP a bare server that pipes to git with the same fsync settings; else the git command',
    ...(options.peer ? [`Peer: ${options.peer}`] : []),
    ...(options.note ? [options.note] : []),
  ];
  if (!options['no-file']) writeReport('bench', facts);
} finally {
  await running?.stop();
  rmSync(directory, { recursive: true, force: true });
}
