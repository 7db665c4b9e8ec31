/** What git may be sent before objects: compressed bodies, long negotiations, long lists of commands. */
import { connect, type Socket } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../test/repositories.ts';

const negotiationBytes = 4_000_000;
let app: TestApp;
let project: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp({
    environment: {
      MILLRACE_MAX_NEGOTIATION_BYTES: String(negotiationBytes),
      MILLRACE_MAX_UNPACK_RATIO: '50',
      MILLRACE_MAX_ANONYMOUS_HELD_BYTES: '1000000',
    },
  });
  project = await buildRepositoryProject(app, { visibility: 'public' });
});
afterAll(() => app.close());

const packet = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const anId = 'a'.repeat(40);
const want = async () =>
  (await project.api<{ commit: { id: string } }>('GET', '/repository/branches/main')).body.commit.id;
/** A fetch that never ends its negotiation. */
const fetchRequest = async (haves: number, line = (_at: number) => `have ${anId}\n`) =>
  Buffer.from(
    `${packet('command=fetch')}0001${packet(`want ${await want()}\n`)}${Array.from({ length: haves }, (_, at) => packet(line(at))).join('')}0000`,
  );
const send = (service: 'upload' | 'receive', body: Buffer, headers: Record<string, string> = {}) =>
  app.request<string>('POST', `/${project.fullPath}.git/git-${service}-pack`, {
    raw: body,
    headers: {
      'Content-Type': `application/x-git-${service}-pack-request`,
      'Git-Protocol': 'version=2',
      ...headers,
    },
  });
const gzip = { 'Content-Encoding': 'gzip' };
const owner = () => ({
  Authorization: `Basic ${Buffer.from(`git:${project.owner.secret}`).toString('base64')}`,
});
/** Ids that differ, so that they hardly become fewer bytes. */
const differing = (at: number) => `have ${(at * 7919).toString(16).padStart(8, '0').repeat(5)}\n`;
const tooLong = `413 Request Entity Too Large - the negotiation has more than ${negotiationBytes} bytes (max_negotiation_bytes)\n`;
const bomb = '413 Request Entity Too Large - the body unpacks to more than 50 times its size (max_unpack_ratio)\n';

describe('security 7: fetches', () => {
  it('a small body that unpacks to a large one is refused to anonymous callers', async () => {
    const packed = gzipSync(await fetchRequest(600_000));
    expect(packed.length).toBeLessThan(200_000);
    const answer = await send('upload', packed, gzip);
    expect([answer.status, answer.body]).toEqual([413, bomb]);
  });

  it('a negotiation is refused beyond its limit, packed or not', async () => {
    const body = await fetchRequest(85_000, differing);
    expect(body.length).toBeGreaterThan(negotiationBytes);
    for (const answer of [
      await send('upload', body, owner()),
      await send('upload', gzipSync(body), { ...gzip, ...owner() }),
    ])
      expect([answer.status, answer.body]).toEqual([413, tooLong]);
  });

  it('one below the limits is answered', async () => {
    const answer = await send('upload', gzipSync(await fetchRequest(40_000, differing)), { ...gzip, ...owner() });
    expect([answer.status, answer.body.slice(4, 20)]).toEqual([200, 'acknowledgments\n']);
  });

  it('bodies of anonymous callers share their room in memory, and give it back', async () => {
    const [body, probe] = [await fetchRequest(19_700, differing), await fetchRequest(600, differing)];
    const { hostname, port } = new URL(app.url);
    const head =
      `POST /${project.fullPath}.git/git-upload-pack HTTP/1.1\r\nHost: ${hostname}\r\nGit-Protocol: version=2\r\n` +
      `Content-Type: application/x-git-upload-pack-request\r\nContent-Length: ${body.length}\r\n\r\n`;
    const stopped: Socket[] = [];
    // A request that stops before its end is held, unless the other one took its last bytes.
    const beside = async () => {
      const socket = connect(Number(port), hostname);
      stopped.push(socket);
      await new Promise((resolve) => socket.write(Buffer.concat([Buffer.from(head), body.subarray(0, -1)]), resolve));
      return (await send('upload', probe)).status;
    };
    await expect.poll(beside).toBe(503);
    expect((await send('upload', probe)).body).toBe(
      '503 Service Unavailable - request bodies of anonymous callers have more than 1000000 bytes (max_anonymous_held_bytes)\n',
    );
    expect((await send('upload', body, owner())).status).toBe(200);
    for (const socket of stopped) socket.destroy();
    await expect.poll(async () => (await send('upload', probe)).status).toBe(200);
  });

  it('other encodings are refused, and a body that is none', async () => {
    expect((await send('upload', Buffer.from('x'), { 'Content-Encoding': 'br' })).status).toBe(415);
    const broken = await send('upload', Buffer.from('no gzip'), gzip);
    expect([broken.status, broken.body]).toEqual([400, 'The body is not valid gzip.\n']);
  });
});

describe('security 7: pushes', () => {
  const command = (at: number, name = `refs/heads/${'x'.repeat(150)}-${at}`) =>
    packet(
      `${'0'.repeat(40)} ${(at * 7919).toString(16).padStart(8, '0').repeat(5)} ${name}${at === 0 ? '\0report-status' : ''}`,
    );
  it('commands are refused beyond their limit, and what unpacks to too much', async () => {
    const commands = Buffer.from(`${Array.from({ length: 20_000 }, (_, at) => command(at)).join('')}0000`);
    expect(commands.length).toBeGreaterThan(negotiationBytes);
    const answer = await send('receive', commands, owner());
    expect([answer.status, answer.body]).toEqual([
      413,
      `413 Request Entity Too Large - the commands of the push have more than ${negotiationBytes} bytes (max_negotiation_bytes)\n`,
    ]);
    const same = Buffer.from(`${Array.from({ length: 15_000 }, () => command(1)).join('')}0000`);
    const packed = await send('receive', gzipSync(same), { ...gzip, ...owner() });
    expect([packed.status, packed.body]).toEqual([413, bomb]);
  });

  it('a pack that unpacks to too much is refused in the report', async () => {
    const head = Buffer.from(`${packet(`${'0'.repeat(40)} ${anId} refs/heads/bomb\0report-status`)}0000`);
    // 500 objects, of which the first is a file of zeros that is stored as it is.
    const size = 6_000_000;
    const start = Buffer.from([...Buffer.from('PACK'), 0, 0, 0, 2, 0, 0, 1, 244]);
    const blob = [0x80 | (3 << 4) | (size & 15), 0x80 | ((size >> 4) & 127), 0x80 | ((size >> 11) & 127), size >> 18];
    const pack = Buffer.concat([start, Buffer.from(blob), deflateSync(Buffer.alloc(size), { level: 0 })]);
    const answer = await send('receive', gzipSync(Buffer.concat([head, pack])), { ...gzip, ...owner() });
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.stringContaining('unpack 413 Request Entity Too Large - the body unpacks to more than 50 times its size'),
    ]);
  });
});
