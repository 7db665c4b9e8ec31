/** Repositories full of text, pushed as anybody pushes, until all of it is in the index of code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { numbers } from '../../../scripts/lib/numbers.ts';
import { git } from '../process.ts';
import type { Target } from '../target.ts';
import { until } from '../waiting.ts';
import { type Text, texts } from './texts.ts';

export interface CodeSizes {
  readonly repositories: number;
  readonly megabytes: number;
  /** Where texts are taken from. */
  readonly folders: readonly string[];
}

export interface Filled {
  /** Of text that is searched. */
  readonly bytes: number;
  readonly files: number;
  readonly repositories: number;
  /** By which the tables and indexes of the database grew. */
  readonly grown: number;
  readonly seconds: number;
  /** Lines that some file has, to be looked for. */
  readonly lines: readonly string[];
}

interface Overview {
  readonly repositories: number;
  readonly ready: number;
  readonly failed: number;
  readonly files: number;
  readonly bytes: number;
}

function sizeBelow(directory: string): number {
  let bytes = 0;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) bytes += sizeBelow(path);
    else if (existsSync(path)) bytes += statSync(path).size;
  }
  return bytes;
}

async function repositoryOf(path: string, files: readonly Text[]): Promise<void> {
  await git('/', ['init', '--quiet', '--bare', '--initial-branch=main', path]);
  const child = spawn('git', ['fast-import', '--quiet'], { cwd: path, stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(child, 'exit');
  const write = async (piece: string) => {
    if (!child.stdin.write(piece)) await once(child.stdin, 'drain');
  };
  await write('commit refs/heads/main\ncommitter Bench <bench@example.com> 1700000000 +0000\ndata 5\nFill\n\n');
  for (const { path: name, content } of files)
    await write(`M 100644 inline ${JSON.stringify(name)}\ndata ${Buffer.byteLength(content)}\n${content}\n`);
  child.stdin.end();
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}

/** Fills the instance once; a second run finds what the first has made. */
export async function fillWithCode(target: Target, directory: string, sizes: CodeSizes): Promise<Filled> {
  const memo = join(directory, 'code.json');
  if (existsSync(memo)) return JSON.parse(readFileSync(memo, 'utf8')) as Filled;
  const database = join(directory, 'millrace/postgres');
  const base = join(
    database,
    readdirSync(database).find((name) => existsSync(join(database, name, 'base'))) ?? '',
    'base',
  );
  const before = sizeBelow(base);
  const begin = performance.now();
  const each = (sizes.megabytes * 1e6) / sizes.repositories;
  const source = texts(sizes.folders);
  const below = numbers(7);
  const lines: string[] = [];
  let made = 0;
  const next = () => {
    if (made >= sizes.repositories) return null;
    const files: Text[] = [];
    for (let bytes = 0; bytes < each; ) {
      const { value } = source.next();
      if (!value) break;
      files.push(value);
      bytes += Buffer.byteLength(value.content);
      const some = value.content.split('\n');
      const line = some[below(some.length)]?.trim() ?? '';
      if (line.length >= 12 && line.length < 200 && below(20) === 0) lines.push(line);
    }
    return { name: `code-${made++}`, files };
  };
  const lane = async () => {
    for (let repository = next(); repository; repository = next()) {
      const path = join(directory, `${repository.name}.git`);
      await repositoryOf(path, repository.files);
      const { http_url_to_repo } = await target.call<{ http_url_to_repo: string }>('POST', '/projects', {
        name: repository.name,
        visibility: 'public',
      });
      const remote = new URL(new URL(http_url_to_repo).pathname, target.url);
      remote.username = 'oauth2';
      remote.password = target.token;
      await git(path, ['push', '--quiet', remote.href, 'main']);
      rmSync(path, { recursive: true });
      if (made % 50 === 0) console.log(`${((performance.now() - begin) / 1000).toFixed(0)} s: ${made} repositories`);
    }
  };
  await Promise.all([lane(), lane()]);
  const pushed = (performance.now() - begin) / 1000;
  console.log(`${pushed.toFixed(0)} s: pushed`);
  const done = await until(
    'the index',
    7_200,
    async () => {
      const found = await target.call<Overview>('GET', '/admin/code_indexes');
      if (found.failed > 0) throw new Error(`not indexed: ${JSON.stringify(found)}`);
      return found.ready >= sizes.repositories && found.ready === found.repositories ? found : null;
    },
    1_000,
  );
  const filled: Filled = {
    bytes: done.bytes,
    files: done.files,
    repositories: sizes.repositories,
    grown: sizeBelow(base) - before,
    seconds: (performance.now() - begin) / 1000,
    lines,
  };
  writeFileSync(memo, JSON.stringify(filled));
  return filled;
}
