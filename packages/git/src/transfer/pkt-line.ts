/** git's pkt-line framing: reading from any byte stream, writing lines, side-bands. */
import { GitError } from '../errors.ts';

/** Largest payload of one line: 65,520 with its length. */
const MAX_PAYLOAD = 65_516;

type Packet = { type: 'data'; data: Buffer } | { type: 'flush' } | { type: 'delimiter' } | { type: 'end' };

export const FLUSH = Buffer.from('0000');

/** One line with its length in front. */
export function pktLine(payload: string | Uint8Array): Buffer {
  const data = typeof payload === 'string' ? Buffer.from(payload) : payload;
  if (data.length > MAX_PAYLOAD) throw new GitError('limit', 'a pkt-line is too long');
  return Buffer.concat([Buffer.from((data.length + 4).toString(16).padStart(4, '0')), data]);
}

const hexLength = (length: number) => length.toString(16).padStart(4, '0');
const hexLengths = Array.from({ length: 512 }, (_, length) => hexLength(length));
/** Letters that become bytes at once. */
const AT_ONCE = 64 * 1024;

function framed(lines: readonly string[], lengthOf: (line: string) => number): string {
  let text = '';
  for (const line of lines) {
    const length = lengthOf(line) + 4;
    text += (hexLengths[length] ?? hexLength(length)) + line;
  }
  return text;
}

/** Many short lines of text, framed together: a buffer for each would cost more than what is in them. */
export function pktLines(lines: readonly string[]): Buffer {
  const parts: Buffer[] = [];
  for (let from = 0, to = 0; from < lines.length; from = to) {
    let letters = 0;
    while (to < lines.length && letters < AT_ONCE) letters += lines[to++]?.length ?? 0;
    const some = lines.slice(from, to);
    const text = framed(some, (line) => line.length);
    const bytes = Buffer.from(text);
    // Where each letter is a byte, letters were the right count.
    parts.push(bytes.length === text.length ? bytes : Buffer.from(framed(some, (line) => Buffer.byteLength(line))));
  }
  return Buffer.concat(parts);
}

export interface PacketReader {
  /** The next packet; `end` at the end of the stream. Throws `invalid` on broken framing. */
  next(): Promise<Packet>;
  /** Everything after the packets read so far, unframed. */
  rest(): AsyncGenerator<Buffer>;
}

/** Reads packets from a byte stream without reading more of it than it must hold. */
export function createPacketReader(source: AsyncIterable<Uint8Array>): PacketReader {
  const iterator = source[Symbol.asyncIterator]();
  let buffer: Buffer = Buffer.alloc(0);
  let ended = false;

  async function fill(count: number): Promise<boolean> {
    while (buffer.length < count && !ended) {
      const step = await iterator.next();
      if (step.done) ended = true;
      else buffer = buffer.length === 0 ? Buffer.from(step.value) : Buffer.concat([buffer, step.value]);
    }
    return buffer.length >= count;
  }

  return {
    async next() {
      if (!(await fill(4))) {
        if (buffer.length > 0) throw new GitError('invalid', 'the request ends inside a pkt-line');
        return { type: 'end' };
      }
      const head = buffer.toString('latin1', 0, 4);
      if (!/^[0-9a-fA-F]{4}$/.test(head)) throw new GitError('invalid', 'not a pkt-line');
      const length = Number.parseInt(head, 16);
      if (length === 3 || length > MAX_PAYLOAD + 4) throw new GitError('invalid', 'not an acceptable pkt-line length');
      if (length < 4) {
        buffer = buffer.subarray(4);
        if (length === 0) return { type: 'flush' };
        return length === 1 ? { type: 'delimiter' } : { type: 'end' };
      }
      if (!(await fill(length))) throw new GitError('invalid', 'the request ends inside a pkt-line');
      const data = buffer.subarray(4, length);
      buffer = buffer.subarray(length);
      return { type: 'data', data };
    },
    async *rest() {
      if (buffer.length > 0) {
        const first = buffer;
        buffer = Buffer.alloc(0);
        yield first;
      }
      while (!ended) {
        const step = await iterator.next();
        if (step.done) ended = true;
        else yield Buffer.from(step.value.buffer, step.value.byteOffset, step.value.byteLength);
      }
    },
  };
}

/** A side-band frame stream: 1 data, 2 progress and messages, 3 fatal error. */
export function sideBand(band: 1 | 2 | 3, payload: string | Uint8Array): Buffer {
  const data = typeof payload === 'string' ? Buffer.from(payload) : payload;
  const frames: Buffer[] = [];
  for (let at = 0; at < data.length; at += MAX_PAYLOAD - 1) {
    frames.push(pktLine(Buffer.concat([Buffer.from([band]), data.subarray(at, at + MAX_PAYLOAD - 1)])));
  }
  return Buffer.concat(frames);
}
