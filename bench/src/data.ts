/** The repository that is measured: generated, the same every time for the same size. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { numbers } from '../../scripts/lib/numbers.ts';
import { git } from './process.ts';

export interface Size {
  readonly commits: number;
  readonly branches: number;
}

export interface Repository {
  /** A bare one. */
  readonly path: string;
  readonly files: readonly string[];
  readonly branches: readonly string[];
  /** Of the default branch, newest first. */
  readonly commits: readonly string[];
}

const words = 'water meter valve pump basin flow gauge river sluice wheel mill race gate spill level rate'.split(' ');

function text(below: (limit: number) => number, lines: number): string {
  const out: string[] = [];
  for (let line = 0; line < lines; line++) {
    const row = Array.from({ length: 4 + below(8) }, () => words[below(words.length)]);
    out.push(`${row.join(' ')} ${below(1_000_000)}`);
  }
  return `${out.join('\n')}\n`;
}

const fileName = (index: number) => `src/part${index % 24}/module${Math.floor(index / 24)}/file${index}.txt`;

/** The input of `git fast-import`, piece by piece. */
function* history({ commits, branches }: Size): Generator<string> {
  const below = numbers(1843);
  const fileCount = 480;
  const start = Date.UTC(2020, 0, 1) / 1000;
  const data = (content: string) => `data ${Buffer.byteLength(content)}\n${content}\n`;
  const commit = (ref: string, mark: number, from: string, files: string) =>
    `commit refs/heads/${ref}\nmark :${mark}\ncommitter Person ${mark % 20} <person${mark % 20}@example.com> ${start + mark * 600} +0000\n` +
    `${data(`Change ${mark}\n\n${text(below, 1 + below(4))}`)}${from}${files}\n`;
  const file = (name: string, lines: number) => `M 100644 inline ${name}\n${data(text(below, lines))}`;
  for (let mark = 1; mark <= commits; mark++) {
    let files = '';
    if (mark === 1) {
      files += `M 100644 inline README.md\n${data('# Bench\n\nGenerated.\n')}`;
      for (let index = 0; index < fileCount; index++) files += file(fileName(index), 10 + below(60));
      for (let index = 0; index < 20; index++) files += file(`docs/large${index}.md`, 900);
    } else for (let index = 0; index < 1 + below(3); index++) files += file(fileName(below(fileCount)), 10 + below(80));
    yield commit('main', mark, mark === 1 ? '' : `from :${mark - 1}\n`, files);
  }
  for (let branch = 0; branch < branches; branch++) {
    const mark = commits + branch + 1;
    const from = `from :${1 + below(commits)}\n`;
    yield commit(`work/branch-${String(branch).padStart(3, '0')}`, mark, from, file(`branch/${branch}.txt`, 20));
  }
}

/** Generates the repository below `directory`. */
export async function generate(directory: string, size: Size): Promise<Repository> {
  const path = join(directory, 'source.git');
  if (!existsSync(path)) {
    mkdirSync(directory, { recursive: true });
    await git(directory, ['init', '--quiet', '--bare', '--initial-branch=main', path]);
    const log = openSync(join(directory, 'fast-import.log'), 'w');
    const child = spawn('git', ['fast-import', '--quiet'], { cwd: path, stdio: ['pipe', log, log] });
    for (const piece of history(size)) if (!child.stdin?.write(piece)) await once(child.stdin ?? child, 'drain');
    child.stdin?.end();
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`git fast-import ended with ${code}: see ${directory}/fast-import.log`);
    await git(path, ['repack', '-adq', '--write-bitmap-index']);
  }
  const lines = async (...args: string[]) => (await git(path, args)).split('\n').filter(Boolean);
  return {
    path,
    files: await lines('ls-tree', '-r', '--name-only', 'main'),
    branches: await lines('for-each-ref', '--format=%(refname:short)', 'refs/heads'),
    commits: await lines('rev-list', 'main'),
  };
}
