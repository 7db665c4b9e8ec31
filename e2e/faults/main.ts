/** Slow: servers are killed and started again.
 * `npm run test:long`: what happens when things break. `--short` is what every run of the suite does; the full form makes a
 * report in bench/results.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { boardRace } from '../src/scenarios/board-races.ts';
import { root } from '../src/support/instance.ts';
import { createSuite, finish } from '../src/support/suite.ts';
import { backupsUnderLoad } from './backups.ts';
import { contention } from './contention.ts';
import { randomHistories, randomTrains } from './histories.ts';
import { killPoints } from './kill-points.ts';
import { manyRequests } from './requests.ts';
import { largeThings } from './sizes.ts';
import { storageFaults } from './storage.ts';
import { manyJobs, wholeSweeps } from './sweeps.ts';
import { killedTrains } from './train-kills.ts';

const { values: options } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: {
      type: 'string',
      default: 'kills,storage,backups,contention,sizes,requests,histories,trains,killed-trains,sweeps,queue,boards',
    },
    kills: { type: 'string' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
  },
});
const { short } = options;
const parts = new Set(options.only.split(','));
const kills = Number(options.kills ?? (short ? 6 : 100));
const suite = createSuite('e2e/faults/main.ts');
const directory = mkdtempSync(join(tmpdir(), 'mr-faults-'));
// The embedded database runs under another uid and must be able to pass.
chmodSync(directory, 0o711);
const lines: string[] = [];
const say = (line: string) => {
  lines.push(line);
  console.log(`  ${line}`);
};

async function killed(processes: 1 | 2): Promise<void> {
  const title = `faults: ${kills} kills of servers and git with ${processes === 1 ? 'one process' : 'two processes'} lose and block nothing`;
  await suite.step(
    title,
    async () => {
      const place = join(directory, `kills-${processes}`);
      const result = await killPoints(place, { processes, kills, seed: Number(options.seed) + processes, print: say });
      const kinds = [...result.kills].map(([name, count]) => `${name} ${count}`).join(', ');
      say(
        `killed: ${kinds}; ${result.acknowledged} acknowledged writes; slowest start ${Math.round(Math.max(...result.restarts))} ms`,
      );
      if (result.failures.length > 0) throw new Error(result.failures.join('\n'));
    },
    short ? 300 : 3600,
  );
}

try {
  if (parts.has('kills')) for (const processes of [1, 2] as const) await killed(processes);
  if (parts.has('storage')) await storageFaults(suite, join(directory, 'storage'));
  if (parts.has('backups') && !short)
    await backupsUnderLoad(
      suite,
      join(directory, 'backups'),
      { backups: 5, writesPerSecond: 50, kills: 12, megabytes: 200 },
      say,
    );
  if (parts.has('histories') && !short) await randomHistories(suite, 300, Number(options.seed), say);
  if (parts.has('trains') && !short) await randomTrains(suite, 500, Number(options.seed), say);
  if (parts.has('killed-trains') && !short)
    await killedTrains(suite, join(directory, 'trains'), { trains: 5, kills: 6, seed: Number(options.seed) }, say);
  if (parts.has('sweeps') && !short) await wholeSweeps(suite);
  if (parts.has('boards') && !short) await boardRace(suite, { seconds: 60 }, say);
  if (parts.has('queue') && !short) await manyJobs(suite, 2000);
  if (parts.has('contention')) await contention(suite, join(directory, 'contention'));
  if (parts.has('sizes'))
    await largeThings(
      suite,
      join(directory, 'sizes'),
      short
        ? { pushMegabytes: 200, lfsMegabytes: 200, bucketMegabytes: 0, refs: 1000 }
        : { pushMegabytes: 1000, lfsMegabytes: 2000, bucketMegabytes: 2000, refs: 100_000 },
      say,
    );
  if (parts.has('requests') && !short) await manyRequests(suite, join(directory, 'requests'), 1_000_000, say);
} finally {
  if (!options.keep) rmSync(directory, { recursive: true, force: true });
}
if (!short) {
  const at = new Date().toISOString();
  const report = [
    `# Faults of ${at.slice(0, 10)}`,
    '',
    `- Machine: ${cpus().length} x ${cpus()[0]?.model ?? '?'}, ${Math.round(totalmem() / 1024 ** 3)} GB`,
    `- Command: npm run test:long -- ${process.argv.slice(2).join(' ')}`,
    '',
    ...lines.map((line) => `- ${line}`),
    '',
    ...suite.results.map(({ state, title, ms }) => `- ${state}: ${title} (${Math.round(ms / 1000)} s)`),
    '',
  ];
  mkdirSync(join(root, 'bench/results'), { recursive: true });
  writeFileSync(join(root, 'bench/results', `${at.slice(0, 16).replace(':', '')}-faults.md`), report.join('\n'));
}
process.exit(finish('faults', suite.results));
