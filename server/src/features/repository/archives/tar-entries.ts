/** The entries of a tar file as git writes it (ustar with pax headers), one after the other, without holding their bytes. */

const block = 512;
/** What a header of pax may have: paths of git are far shorter. */
const longestHeader = 1024 ** 2;

export interface TarEntry {
  /** The blocks in front of the body: pax headers and the entry's own, as they were read. */
  readonly head: Buffer;
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  readonly name: string;
  readonly link: string;
  readonly mode: number;
  /** Seconds since 1970. */
  readonly time: number;
  readonly size: number;
  /** What is not read is skipped when the next entry is asked for. */
  readonly body: AsyncIterable<Buffer>;
}

const kinds: Readonly<Record<string, TarEntry['kind']>> = {
  '0': 'file',
  '\0': 'file',
  '5': 'directory',
  '2': 'symlink',
};

/** What fills a body up to whole blocks. */
export const paddingOf = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block);

/** What ends a tar file; git fills its last record of 20 blocks too. */
export const tarEnd: Buffer = Buffer.alloc(2 * block);

function textOf(header: Buffer, start: number, length: number): string {
  const end = header.indexOf(0, start);
  return header.toString('utf8', start, end === -1 ? start + length : Math.min(end, start + length));
}

const octalOf = (header: Buffer, start: number, length: number): number =>
  Number.parseInt(textOf(header, start, length).trim() || '0', 8);

/** `<length> <key>=<value>\n`, again and again. */
function paxOf(data: Buffer): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(0x20, at);
    const length = Number(data.toString('latin1', at, space));
    if (space === -1 || !Number.isSafeInteger(length) || length <= 0) break;
    const line = data.toString('utf8', space + 1, at + length - 1);
    const equals = line.indexOf('=');
    found.set(line.slice(0, equals), line.slice(equals + 1));
    at += length;
  }
  return found;
}

/** The same entry with a body of another size. */
export function resized(head: Buffer, size: number): Buffer {
  const made = Buffer.from(head);
  const header = made.subarray(made.length - block);
  if (size < 8 ** 11) header.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  else {
    // Past eight gigabytes the number itself, with its first bit set, as GNU tar and bsdtar write and read it.
    header.fill(0, 124, 136);
    header.writeUInt8(0x80, 124);
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  header.fill(0x20, 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(7, '0')}\0`, 148, 'latin1');
  return made;
}

function reader(source: AsyncIterable<Buffer>) {
  const iterator = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  async function some(most: number): Promise<Buffer> {
    while (rest.length === 0) {
      const step = await iterator.next();
      if (step.done) throw new Error('the archive of git ended too early');
      rest = step.value;
    }
    const taken = rest.subarray(0, most);
    rest = rest.subarray(taken.length);
    return taken;
  }
  async function exactly(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0; ) {
      const part = await some(missing);
      parts.push(part);
      missing -= part.length;
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }
  /** A writer whose last bytes nobody reads dies of it. */
  async function drain(): Promise<void> {
    for (let step = await iterator.next(); !step.done; step = await iterator.next());
  }
  return { some, exactly, drain, end: async () => await iterator.return?.() };
}

/** Reads to the end that the file itself states and what fills the last record behind it, and lets go of the source. */
export async function* tarEntries(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = reader(source);
  try {
    let before: Buffer[] = [];
    let pax = new Map<string, string>();
    for (;;) {
      const header = await bytes.exactly(block);
      if (header.every((byte) => byte === 0)) return await bytes.drain();
      const type = String.fromCharCode(header[156] ?? 0);
      const size = Number(pax.get('size') ?? octalOf(header, 124, 12));
      if (type === 'x' || type === 'g') {
        if (size > longestHeader) throw new Error('a header of the archive of git is too long');
        const data = await bytes.exactly(size + paddingOf(size).length);
        before.push(header, data);
        if (type === 'x') pax = paxOf(data.subarray(0, size));
        continue;
      }
      const prefix = textOf(header, 345, 155);
      const short = textOf(header, 0, 100);
      let left = size;
      async function* body(): AsyncGenerator<Buffer> {
        while (left > 0) {
          const part = await bytes.some(left);
          left -= part.length;
          yield part;
        }
      }
      yield {
        head: Buffer.concat([...before, header]),
        kind: kinds[type] ?? 'other',
        name: pax.get('path') ?? (prefix === '' ? short : `${prefix}/${short}`),
        link: pax.get('linkpath') ?? textOf(header, 157, 100),
        mode: octalOf(header, 100, 8),
        time: Number(pax.get('mtime') ?? octalOf(header, 136, 12)),
        size,
        body: body(),
      };
      for await (const _ of body()) {
        // Skipped: the next entry begins behind it.
      }
      await bytes.exactly(paddingOf(size).length);
      [before, pax] = [[], new Map()];
    }
  } finally {
    await bytes.end();
  }
}
