/** `git cat-file --batch-command` kept running per repository: object reads without starting a process. */
import type { Git, Repo } from '../context.ts';
import { GitError } from '../errors.ts';
import type { ObjectType, Sha } from '../types.ts';
import { type Coprocess, gone } from './coprocess.ts';
import { spawnGit } from './spawn.ts';

export interface ObjectHeader {
  type: ObjectType;
  size: number;
}
export interface RawObject extends ObjectHeader {
  data: Buffer;
}

/** An answer that did not come within this time means that the process hangs (a stuck disk): it is ended. */
const ANSWER_TIMEOUT_MS = 30_000;
const TYPES = new Set(['commit', 'tree', 'blob', 'tag']);

interface Request {
  wantsData: boolean;
  /** Objects beyond this are read past, not kept, and answered with `limit`. */
  maxBytes: number;
  resolve(object: RawObject | null): void;
  reject(error: GitError): void;
}

interface CatFile extends Coprocess {
  /** Only ids are ever sent: a name would be resolved against cached references, a path could hold a newline. */
  request(command: 'info' | 'contents', id: Sha, maxBytes: number): Promise<RawObject | null>;
}

function startCatFile(git: Git, repo: Repo): CatFile {
  const quarantine = repo.quarantine;
  const started = spawnGit(git, {
    gitDir: repo.path,
    memoryBytes: git.limits.read.memoryBytes,
    args: ['cat-file', '--batch-command', '--buffer'],
    ...(quarantine ? { directories: { objects: quarantine.path, alternate: `${repo.path}/objects` } } : {}),
  });
  const { child, stdin, stdout, stderr } = started;
  const queue: Request[] = [];
  let outgoing = '';
  let alive = true;
  let stderrText = '';
  let timer: NodeJS.Timeout | undefined;
  let lastAnswer = 0;

  // Parser state: a header line, then (for contents) `need` bytes of data and a newline.
  let chunks: Buffer[] = [];
  let have = 0;
  let current: ObjectHeader | undefined;
  let need = 0;
  let skipped = 0;

  function fail(error: GitError): void {
    alive = false;
    clearInterval(timer);
    for (const request of queue.splice(0)) request.reject(error);
    child.kill('SIGKILL');
  }

  function answer(object: RawObject | null): void {
    lastAnswer = Date.now();
    queue.shift()?.resolve(object);
    if (queue.length === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  }

  /** Handles one header line; for contents the data follows. */
  function header(line: string): void {
    const request = queue[0];
    const [, type = '', size = ''] = line.split(' ');
    if (!request) {
      fail(new GitError('failed', 'cat-file spoke unasked'));
      return;
    }
    if (type === 'missing' || type === 'ambiguous') {
      answer(null);
      return;
    }
    if (!TYPES.has(type)) {
      fail(new GitError('corrupt', 'cat-file gave an unknown header'));
      return;
    }
    const parsed: ObjectHeader = { type: type as ObjectType, size: Number(size) };
    if (!request.wantsData) {
      answer({ ...parsed, data: Buffer.alloc(0) });
      return;
    }
    current = parsed;
    need = parsed.size + 1;
    skipped = 0;
  }

  function finish(data: Buffer): void {
    const object = current;
    current = undefined;
    if (object) answer({ ...object, data });
  }

  function take(count: number): Buffer {
    const all = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, have);
    const taken = all.subarray(0, count);
    const rest = all.subarray(count);
    chunks = rest.length > 0 ? [rest] : [];
    have = rest.length;
    return taken;
  }

  function parse(): void {
    while (alive && have > 0) {
      if (current) {
        const tooBig = current.size > (queue[0]?.maxBytes ?? 0);
        if (tooBig) {
          const part = Math.min(have, need - skipped);
          take(part);
          skipped += part;
          if (skipped < need) return;
          const size = current.size;
          current = undefined;
          queue[0]?.reject(
            new GitError('limit', `object of ${size} bytes is beyond the limit of ${queue[0].maxBytes}`),
          );
          answer(null);
        } else {
          if (have < need) return;
          // A slice of a shared read buffer would keep the whole buffer alive in the caches: copy small objects.
          const data = take(need).subarray(0, -1);
          finish(Buffer.from(data));
        }
      } else {
        const first = chunks[0] as Buffer;
        let end = first.indexOf(10);
        if (end < 0) {
          if (chunks.length === 1) return;
          chunks = [Buffer.concat(chunks, have)];
          end = (chunks[0] as Buffer).indexOf(10);
          if (end < 0) return;
        }
        header(take(end + 1).toString('latin1', 0, end));
      }
    }
  }

  stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    have += chunk.length;
    parse();
  });
  stderr.on('data', (text: Buffer) => {
    if (stderrText.length < 4096) stderrText += text.toString('utf8');
  });
  const closed = gone(started, fail, (exitCode) =>
    /not a git repository/.test(stderrText)
      ? new GitError('not_found', 'no such repository', { stderr: stderrText, exitCode })
      : new GitError('failed', 'cat-file ended', { stderr: stderrText, exitCode }),
  );

  function flush(): void {
    if (outgoing === '' || !alive) return;
    const text = `${outgoing}flush\n`;
    outgoing = '';
    stdin?.write(text);
  }

  return {
    pending: () => queue.length,
    alive: () => alive,
    close() {
      if (alive && queue.length === 0) {
        alive = false;
        stdin?.end();
        // It ends by itself at the end of its input; a hung one is killed.
        setTimeout(() => child.kill('SIGKILL'), 1_000).unref();
      } else fail(new GitError('aborted', 'git was closed'));
      return closed;
    },
    request(command, id, maxBytes) {
      return new Promise((resolve, reject) => {
        queue.push({ wantsData: command === 'contents', maxBytes, resolve, reject });
        // Requests of one turn go out together with one flush.
        if (outgoing === '') queueMicrotask(flush);
        outgoing += `${command} ${id}\n`;
        if (!timer) {
          lastAnswer = Date.now();
          timer = setInterval(() => {
            if (Date.now() - lastAnswer > ANSWER_TIMEOUT_MS) fail(new GitError('timeout', 'cat-file does not answer'));
          }, 5_000);
          timer.unref();
        }
      });
    },
  };
}

async function ask(repo: Repo, command: 'info' | 'contents', id: Sha, maxBytes: number): Promise<RawObject | null> {
  if (repo.quarantine) {
    const { base, overlay } = repo.quarantine;
    // Most reads are of old objects: the repository's own helper knows them, and a quarantine often needs none.
    const known = overlay.get(id) ?? (await ask(base, command, id, maxBytes));
    if (known || !overlay.used()) return known;
    await overlay.settle();
  }
  const attempt = () =>
    repo.git.helpers.get(repo.key, 'cat-file', () => startCatFile(repo.git, repo)).request(command, id, maxBytes);
  try {
    return await attempt();
  } catch (error) {
    // Reads are repeatable: one that died under us (killed, out of memory) is started once more.
    if (error instanceof GitError && error.code === 'failed') return attempt();
    throw error;
  }
}

/** Type and size of an object; null when the repository does not have it. */
export function objectHeader(repo: Repo, id: Sha): Promise<ObjectHeader | null> {
  return ask(repo, 'info', id, 0);
}

/** An object with its bytes; null when the repository does not have it, `limit` when larger than `maxBytes`. */
export function rawObject(repo: Repo, id: Sha, maxBytes: number): Promise<RawObject | null> {
  return ask(repo, 'contents', id, maxBytes);
}
