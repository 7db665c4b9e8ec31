/** Clients that hang, read nothing or go away, and strangers in numbers: what they hold, and for how long. Slow, sampled: waits until the limits end them. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { eventually } from '../../../test/ci.ts';
import { unique } from '../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../test/git.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../test/repositories.ts';

let app: TestApp;
let git: GitClient;
let large: RepositoryProject;
let tip: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  app = await startTestApp({
    ownProcesses: true,
    environment: {
      // Longer than a busy machine takes for what happens meanwhile.
      MILLRACE_GIT_HTTP_STALL_SECONDS: '6',
      // Kept answers are read from the disk, without a process.
      MILLRACE_FETCH_CACHE_BYTES: '0',
      MILLRACE_GIT_BUDGETS: 'anonymous_pack=2:1:60:60',
    },
  });
  git = await gitClient();
  large = await buildRepositoryProject(app, { visibility: 'public' });
  // More than sockets and streams hold on the way: git waits for a client that does not read.
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    tip = await large.commit('main', { [name]: randomBytes(4 * 1024 * 1024).toString('base64') });
  // Looking for differences of noise takes seconds in which nothing is sent.
  await mkdir(`${large.directory}/info`, { recursive: true });
  await writeFile(`${large.directory}/info/attributes`, '* -delta\n');
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await git.close();
  await app.close();
});

/** Processes that work on the repository: their command line or environment names it. */
async function processes(): Promise<number> {
  const own = `/proc/${process.pid}/task`;
  const threads = await readdir(own);
  const children = (await Promise.all(threads.map((id) => readFile(`${own}/${id}/children`, 'utf8').catch(() => ''))))
    .join(' ')
    .split(/\s+/)
    .filter(Boolean);
  const lines = await Promise.all(children.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes('upload-pack') || line.includes('index-pack')).length;
}

const pkt = (text: string) => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;
const fetchAll = () => `${pkt('command=fetch\n')}0001${pkt(`want ${tip}\n`)}${pkt('done\n')}0000`;

interface Conversation {
  readonly socket: Socket;
  /** What has arrived before the client stopped reading. */
  readonly first: Promise<string>;
  readonly closed: Promise<void>;
}

/** A request by hand; the client reads no more than its first bytes. */
function ask(head: readonly string[], body: string): Conversation {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const first = new Promise<string>((resolve) => {
    socket.once('data', (data) => {
      socket.pause();
      resolve(data.toString('latin1'));
    });
    socket.once('close', () => resolve(''));
  });
  socket.write([...head, `Host: ${hostname}`, '', body].join('\r\n'));
  return { socket, first, closed };
}
const post = (service: string, length: number, more: readonly string[] = []) => [
  `POST /${large.fullPath}.git/git-${service} HTTP/1.1`,
  `Content-Type: application/x-git-${service}-request`,
  `Content-Length: ${length}`,
  'Git-Protocol: version=2',
  ...more,
];
const clone = () => ask(post('upload-pack', fetchAll().length), fetchAll());
const owner = () => `Authorization: Basic ${Buffer.from(`x:${large.owner.secret}`).toString('base64')}`;

it('[security 24] strangers that read nothing hold their own places, for a while; who signs in does not notice', async () => {
  const [one, two] = [clone(), clone()];
  expect((await Promise.all([one.first, two.first])).map((text) => text.slice(0, 12))).toEqual([
    'HTTP/1.1 200',
    'HTTP/1.1 200',
  ]);
  expect(await processes()).toBe(2);
  const more = [clone(), clone()];
  const refused = await Promise.race(more.map(({ first }) => first));
  expect(refused).toContain('HTTP/1.1 503');
  expect(refused).toMatch(/retry-after: \d/i);
  expect(refused).toContain('the git budget anonymous_pack is used up: 2 at once, 1 waiting');
  // Everybody who is signed in clones meanwhile, and asks for nothing new. git keeps a token in the URL to itself until it
  // is asked for one, which public projects do not.
  const signedIn = ['-c', `http.extraHeader=${owner()}`];
  await git.run([...signedIn, 'clone', '-q', large.remote(), 'own']);
  await git.run([...signedIn, 'fetch', '-q'], 'own');
  expect(await git.run(['rev-parse', 'HEAD'], 'own')).toBe(tip);
  // Who asks what is known costs no place: references are told.
  expect(await git.run(['ls-remote', large.remote(), 'main'])).toContain(tip);
  // They still read nothing: they are cut off, and the places are free for others.
  await eventually('the end of their processes', async () => (await processes()) === 0);
  await git.run(['clone', '-q', large.remote(), unique('stranger')]);
});

it('a client that goes away leaves no process', async () => {
  const leaving = clone();
  await leaving.first;
  // The last of the strangers before may be about to end.
  await eventually('its process alone', async () => (await processes()) === 1);
  leaving.socket.destroy();
  await eventually('the end of its process', async () => (await processes()) === 0);
});

it('a client that hangs inside its request is cut off, with all that it began', async () => {
  const zeros = '0'.repeat(40);
  const command = pkt(`${zeros} ${'1'.repeat(40)} refs/heads/x\0report-status`);
  const begun = async () =>
    (await readdir(`${large.directory}/objects`)).filter((name) => name.startsWith('incoming-')).length;
  const push = ask(post('receive-pack', 100_000, [owner()]), `${command}0000PACK\0\0\0\x02\0\0\x02\x09`);
  await eventually('its quarantine', async () => (await begun()) === 1);
  const fetching = ask(post('upload-pack', 100_000), pkt('command=fetch\n'));
  const chunked = ask(
    [...post('upload-pack', 0).filter((line) => !line.startsWith('Content-Length')), 'Transfer-Encoding: chunked'],
    '4\r\n00',
  );
  await Promise.all([push.closed, fetching.closed, chunked.closed]);
  await eventually('their end', async () => (await begun()) + (await processes()) === 0);
  // An idle connection between requests is not meant.
  const idle = ask([`GET /${large.fullPath}.git/info/refs?service=git-upload-pack HTTP/1.1`], '');
  expect(await idle.first).toContain('HTTP/1.1 200');
});
