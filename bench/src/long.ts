/** `npm run test:long`: proofs that take too long for every change; the report goes to bench/results. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { killPointLines, killPoints } from './long/kill-points.ts';
import { root } from './process.ts';
import { machine } from './report.ts';

const { values: options } = parseArgs({
  options: {
    kills: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
    'no-file': { type: 'boolean', default: false },
  },
});
const directory = mkdtempSync(join(tmpdir(), 'millrace-long-'));
// The embedded database runs under another uid and must be able to pass.
chmodSync(directory, 0o711);
try {
  const result = await killPoints(directory, Number(options.kills), Number(options.seed), (line) => console.log(line));
  const at = new Date().toISOString();
  const lines = [
    `# Long proofs of ${at.slice(0, 10)}`,
    '',
    `- Machine: ${machine()}`,
    `- Command: npm run test:long -- --kills ${options.kills} --seed ${options.seed}`,
    '',
    '## Kill points',
    '',
    ...killPointLines(result).map((line) => `- ${line}`),
    '',
  ];
  console.log(lines.join('\n'));
  if (!options['no-file']) {
    mkdirSync(join(root, 'bench/results'), { recursive: true });
    writeFileSync(join(root, 'bench/results', `${at.slice(0, 16).replace(':', '')}-long.md`), lines.join('\n'));
  }
  process.exitCode = result.failures.length === 0 ? 0 : 1;
} finally {
  if (!options.keep) rmSync(directory, { recursive: true, force: true });
}
