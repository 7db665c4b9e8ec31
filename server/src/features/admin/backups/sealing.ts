/**
 * The form of every file of a backup (ADR 34): frames of at most 1 MiB with a checksum over all at the end, optionally
 * encrypted. What is damaged, cut off or in another file's place does not open.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** What is stored is not what was written. */
export class DamagedBackup extends Error {
  override readonly name = 'DamagedBackup';
}

const magic = Buffer.from('MILLRBK1', 'latin1');
const saltBytes = 16;
const labelBytes = 16;
const tagBytes = 16;
const digestBytes = 32;
const headBytes = magic.length + 1 + saltBytes + labelBytes;
const frameBytes = 1024 * 1024;
const lastFrame = 0x80000000;

const labelHash = (label: string) => createHash('sha256').update(label).digest().subarray(0, labelBytes);
const fileKey = (key: Buffer, salt: Buffer, label: string) =>
  Buffer.from(hkdfSync('sha256', key, salt, `millrace backup ${label}`, 32));

function nonce(index: number, last: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes[0] = last ? 1 : 0;
  bytes.writeUIntBE(index, 6, 6);
  return bytes;
}

/** Bytes that content of a known size takes when it is sealed. */
export function sealedSize(size: number, encrypted: boolean): number {
  const frames = Math.max(1, Math.ceil(size / frameBytes));
  return headBytes + frames * (4 + (encrypted ? tagBytes : 0)) + size + digestBytes;
}

/** Full frames, and the rest as the last one. */
async function* framed(source: AsyncIterable<Buffer>): AsyncGenerator<{ frame: Buffer; last: boolean }> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of source)
    for (let rest = chunk; rest.length > 0; ) {
      // A full frame waits for what follows, so that the last one is known to be the last.
      if (length === frameBytes) {
        yield { frame: Buffer.concat(parts), last: false };
        parts = [];
        length = 0;
      }
      const part = rest.subarray(0, frameBytes - length);
      parts.push(part);
      length += part.length;
      rest = rest.subarray(part.length);
    }
  yield { frame: Buffer.concat(parts), last: true };
}

/** Seals a stream; `label` says what it is and has to be the same when it is opened. */
export async function* sealed(
  source: AsyncIterable<Buffer>,
  label: string,
  key: Buffer | null,
): AsyncGenerator<Buffer> {
  const digest = createHash('sha256');
  const passed = (chunk: Buffer) => {
    digest.update(chunk);
    return chunk;
  };
  const salt = key ? randomBytes(saltBytes) : Buffer.alloc(saltBytes);
  yield passed(Buffer.concat([magic, Buffer.from([key ? 1 : 0]), salt, labelHash(label)]));
  const secret = key && fileKey(key, salt, label);
  let index = 0;
  for await (const { frame, last } of framed(source)) {
    let body = frame;
    if (secret) {
      const cipher = createCipheriv('aes-256-gcm', secret, nonce(index, last));
      body = Buffer.concat([cipher.update(frame), cipher.final(), cipher.getAuthTag()]);
    }
    index += 1;
    const length = Buffer.alloc(4);
    length.writeUInt32BE((body.length + (last ? lastFrame : 0)) >>> 0);
    yield passed(length);
    yield passed(body);
  }
  yield digest.digest();
}

/** Takes exact numbers of bytes out of a stream. */
function reader(source: AsyncIterable<Buffer>, label: string) {
  const iterator = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  async function more(): Promise<Buffer | null> {
    for (;;) {
      const step = await iterator.next();
      if (step.done) return null;
      if (step.value.length > 0) return step.value;
    }
  }
  return {
    async take(bytes: number): Promise<Buffer> {
      const parts = [rest];
      let length = rest.length;
      while (length < bytes) {
        const chunk = await more();
        if (chunk === null) throw new DamagedBackup(`${label} is cut off`);
        parts.push(chunk);
        length += chunk.length;
      }
      const all = parts.length === 1 ? rest : Buffer.concat(parts);
      rest = all.subarray(bytes);
      return all.subarray(0, bytes);
    },
    ended: async () => rest.length === 0 && (await more()) === null,
    close: async () => void (await iterator.return?.()),
  };
}

/** Opens what `sealed` made. Throws DamagedBackup for anything else, at the latest at the end of the stream. */
export async function* opened(
  source: AsyncIterable<Buffer>,
  label: string,
  key: Buffer | null,
): AsyncGenerator<Buffer> {
  const input = reader(source, label);
  const digest = createHash('sha256');
  const take = async (bytes: number) => {
    const taken = await input.take(bytes);
    digest.update(taken);
    return taken;
  };
  try {
    const head = await take(headBytes);
    const salt = head.subarray(magic.length + 1, magic.length + 1 + saltBytes);
    if (!head.subarray(0, magic.length).equals(magic)) throw new DamagedBackup(`${label} is not a file of a backup`);
    if (!head.subarray(-labelBytes).equals(labelHash(label)))
      throw new DamagedBackup(`another file is in the place of ${label}`);
    const encrypted = head[magic.length] === 1;
    if (encrypted !== (key !== null))
      throw new DamagedBackup(`${label} is ${encrypted ? '' : 'not '}encrypted, unlike the backup`);
    const secret = key && fileKey(key, salt, label);
    const most = frameBytes + (secret ? tagBytes : 0);
    for (let index = 0, last = false; !last; index++) {
      const word = (await take(4)).readUInt32BE();
      last = word >= lastFrame;
      const length = last ? word - lastFrame : word;
      if (length > most || (secret && length < tagBytes)) throw new DamagedBackup(`${label} is damaged`);
      const body = await take(length);
      if (!secret) yield body;
      else {
        const decipher = createDecipheriv('aes-256-gcm', secret, nonce(index, last));
        decipher.setAuthTag(body.subarray(-tagBytes));
        let plain: Buffer;
        try {
          plain = Buffer.concat([decipher.update(body.subarray(0, -tagBytes)), decipher.final()]);
        } catch {
          throw new DamagedBackup(`${label} is damaged`);
        }
        yield plain;
      }
    }
    const expected = digest.digest();
    if (!(await input.take(digestBytes)).equals(expected)) throw new DamagedBackup(`${label} is damaged`);
    if (!(await input.ended())) throw new DamagedBackup(`${label} has more than was written`);
  } finally {
    await input.close();
  }
}
