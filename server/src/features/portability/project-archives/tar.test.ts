/** Archives as streams, and hostile ones: refused with a reason, in bounded memory, without touching a file. */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { ArchiveError, readTar, tarEnd, tarHeader, tarPadding, unpacked } from './tar.ts';

const entry = (name: string, text: string, change: (header: Buffer) => void = () => {}) => {
  const body = Buffer.from(text);
  const header = tarHeader('x', body.length);
  header.fill(0, 0, 100);
  header.write(name, 0, 100);
  change(header);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, body, tarPadding(body.length)]);
};
const read = async (archive: Buffer, chunk = 1000): Promise<string[]> => {
  const chunks = Array.from({ length: Math.ceil(archive.length / chunk) }, (_, at) =>
    archive.subarray(at * chunk, (at + 1) * chunk),
  );
  const found: string[] = [];
  for await (const { name, body } of readTar(Readable.from(chunks))) {
    const parts: Buffer[] = [];
    for await (const part of body) parts.push(part);
    found.push(`${name}=${Buffer.concat(parts).toString('utf8').slice(0, 20)}`);
  }
  return found;
};
const refusal = (archive: Buffer) =>
  read(archive).then(
    () => 'read',
    (error: unknown) => error,
  );

describe('tar files', () => {
  it('are read as they were written, in pieces of any size', async () => {
    const archive = Buffer.concat([
      ...[tarHeader('project.json', 5), Buffer.from('hello'), tarPadding(5)],
      ...[tarHeader('relations/labels.ndjson', 0), tarPadding(0)],
      ...[tarHeader('b', 512), Buffer.alloc(512, 'b'), tarPadding(512)],
      tarEnd,
    ]);
    for (const chunk of [1, 7, 511, 512, 4096])
      expect(await read(archive, chunk)).toEqual([
        'project.json=hello',
        'relations/labels.ndjson=',
        `b=${'b'.repeat(20)}`,
      ]);
  });

  it('security 2 3 6: links, devices, long names and names that lead elsewhere are refused', async () => {
    const types = ['1', '2', '3', '4', '5', '6', '7', 'L', 'K', 'x', 'g', 'S'];
    for (const type of types) {
      const archive = Buffer.concat([entry('project.json', 'x', (header) => header.write(type, 156)), tarEnd]);
      expect([type, await refusal(archive)]).toEqual([type, expect.any(ArchiveError)]);
    }
    for (const name of [
      '../x',
      '/etc/passwd',
      'a/../../b',
      './x',
      'a//b',
      'a\nb',
      'a\\b',
      '',
      '..',
      'a/.b',
      `a${'\u0001'}`,
    ]) {
      expect([name, await refusal(Buffer.concat([entry(name, 'x'), tarEnd]))]).toEqual([
        name,
        expect.any(ArchiveError),
      ]);
    }
    const prefixed = entry('x', 'x', (header) => header.write('../..', 345));
    expect(await refusal(Buffer.concat([prefixed, tarEnd]))).toBeInstanceOf(ArchiveError);
  });

  it('security 6 7: what is damaged, cut off, twice there, or too much is refused', async () => {
    const good = entry('a', 'hello');
    const bad = Buffer.from(good);
    bad[0] = 0x62;
    expect(await refusal(Buffer.concat([bad, tarEnd]))).toMatchObject({ message: 'The archive is damaged' });
    expect(await refusal(good.subarray(0, 515))).toMatchObject({ message: 'The archive ends too early' });
    expect(await refusal(good)).toMatchObject({ message: 'The archive ends too early' });
    expect(await refusal(Buffer.concat([good, good, tarEnd]))).toMatchObject({ message: 'The archive holds a twice' });
    const many = Array.from({ length: 101 }, (_, at) => entry(`n${at}`, ''));
    expect(await refusal(Buffer.concat([...many, tarEnd]))).toMatchObject({
      message: expect.stringContaining('100 files'),
    });
    for (const size of ['77777777777', '-1', '9', '\u0080\u0001']) {
      const archive = entry('a', 'hello', (header) => header.write(size.padEnd(12, '\0'), 124, 'latin1'));
      expect([size, await refusal(Buffer.concat([archive, tarEnd]))]).toEqual([size, expect.any(ArchiveError)]);
    }
  });

  it('security 7: a bomb is stopped at the limit, which the error names', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 ** 2), { level: 9 });
    let seen = 0;
    const reading = (async () => {
      for await (const chunk of unpacked(Readable.from([bomb]), 1024 ** 2, 'max_decompressed_archive_size'))
        seen += chunk.length;
    })();
    await expect(reading).rejects.toThrow('larger than 1048576 bytes (max_decompressed_archive_size)');
    expect(seen).toBeLessThanOrEqual(1024 ** 2);
    const broken = (async () => {
      for await (const _ of unpacked(Readable.from([Buffer.from('no archive')]), 1024, 'x')) expect.fail();
    })();
    await expect(broken).rejects.toThrow(ArchiveError);
  });

  it('security 7: [3/api.application-settings/27 decompress_archive_file_timeout] may take so long to unpack, without the time of who reads', async () => {
    const packed = gzipSync(Buffer.alloc(3 * 1024 ** 2, 'x'));
    const read = async (source: Readable, seconds: number, work = async () => {}) => {
      let seen = 0;
      for await (const chunk of unpacked(source, Number.MAX_SAFE_INTEGER, 'x', seconds)) {
        if (seen === 0) await work();
        seen += chunk.length;
      }
      return seen;
    };
    // One that never ends: its first bytes come, no others.
    const stuck = new Readable({ read: () => undefined });
    stuck.push(packed.subarray(0, packed.length - 20));
    await expect(read(stuck, 0.05)).rejects.toThrow(
      new ArchiveError('Unpacking the archive took longer than 0.05 seconds (decompress_archive_file_timeout)'),
    );
    expect(stuck.destroyed).toBe(true);
    // While somebody works on what was read, nothing waits to stop it.
    const [set, cleared] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
    const work = async () => {
      const timers = set.mock.calls.flatMap(([, wait], at) => (wait === 60_000 ? [set.mock.results[at]?.value] : []));
      expect(timers).toHaveLength(1);
      expect(cleared.mock.calls.map(([timer]) => timer)).toContain(timers[0]);
    };
    expect(await read(Readable.from([packed]), 60, work)).toBe(3 * 1024 ** 2);
    vi.restoreAllMocks();
    expect(await read(Readable.from([packed]), 0)).toBe(3 * 1024 ** 2);
  });

  it('security 6: are read no further when whoever sent them has gone', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'tar-'));
    const file = path.join(directory, 'archive.tar.gz');
    await writeFile(file, gzipSync(randomBytes(8 * 1024 ** 2)));
    const gone = new AbortController();
    const source = createReadStream(file, { signal: gone.signal });
    let seen = 0;
    const reading = (async () => {
      for await (const chunk of unpacked(source, 1024 ** 3, 'x')) {
        seen += chunk.length;
        gone.abort();
      }
    })();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(seen).toBeLessThan(8 * 1024 ** 2);
    expect(source.closed).toBe(true);
    await rm(directory, { recursive: true });
  });
});
