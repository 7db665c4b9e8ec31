/** `npm run test:long`: proofs that take too long for every change; the report goes to bench/results. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { flatMemory, flatMemoryLines } from './long/flat-memory.ts';
import { killPointLines, killPoints } from './long/kill-points.ts';
import { root } from './process.ts';
import { machine } from './report.ts';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'kills,memory' },
    kills: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    requests: { type: 'string', default: '1000000' },
    keep: { type: 'boolean', default: false },
    'no-file': { type: 'boolean', default: false },
  },
});
const directory = mkdtempSync(join(tmpdir(), 'millrace-long-'));
// The embedded database runs under another uid and must be able to pass.
chmodSync(directory, 0o711);
try {
  const parts = options.only.split(',');
  const say = (line: string) => console.log(line);
  const sections: { title: string; lines: string[] }[] = [];
  let failed = 0;
  if (parts.includes('kills')) {
    const result = await killPoints(join(directory, 'kills'), Number(options.kills), Number(options.seed), say);
    sections.push({ title: 'Kill points', lines: killPointLines(result) });
    failed += result.failures.length;
  }
  if (parts.includes('memory')) {
    const result = await flatMemory(join(directory, 'memory'), Number(options.requests), say);
    sections.push({ title: 'Memory over requests', lines: flatMemoryLines(result) });
    failed += result.failures.length;
  }
  const at = new Date().toISOString();
  const lines = [
    `# Long proofs of ${at.slice(0, 10)}`,
    '',
    `- Machine: ${machine()}`,
    `- Command: npm run test:long -- --only ${options.only} --kills ${options.kills} --seed ${options.seed} --requests ${options.requests}`,
    ...sections.flatMap(({ title, lines: found }) => ['', `## ${title}`, '', ...found.map((line) => `- ${line}`)]),
    '',
  ];
  console.log(lines.join('\n'));
  if (!options['no-file']) {
    mkdirSync(join(root, 'bench/results'), { recursive: true });
    writeFileSync(join(root, 'bench/results', `${at.slice(0, 16).replace(':', '')}-long.md`), lines.join('\n'));
  }
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  if (!options.keep) rmSync(directory, { recursive: true, force: true });
}
