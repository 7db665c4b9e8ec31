/** All tables of the database in one stream: for each its name and columns, then its rows in pieces with their length. */
import type { DumpedTable } from '../../../kernel/db/dump.ts';
import { DamagedBackup } from './sealing.ts';

const longestHead = 1024 * 1024;

function sized(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** `stored` is called after each table. */
export async function* tableStream(
  tables: readonly DumpedTable[],
  rows: (table: DumpedTable) => AsyncIterable<Buffer>,
  stored: () => Promise<void>,
): AsyncGenerator<Buffer> {
  for (const { name, columns } of tables) {
    yield sized(Buffer.from(JSON.stringify({ name, columns })));
    for await (const piece of rows({ name, columns })) if (piece.length > 0) yield sized(piece);
    yield Buffer.alloc(4);
    await stored();
  }
}

/** The tables in their order; the rows of each have to be read before the next one is asked for. */
export async function* readTables(
  source: AsyncIterable<Buffer>,
): AsyncGenerator<{ readonly table: DumpedTable; readonly rows: AsyncIterable<Buffer> }> {
  const iterator = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  /** Null at the end of the stream. */
  async function take(bytes: number): Promise<Buffer | null> {
    const parts = [rest];
    let length = rest.length;
    while (length < bytes) {
      const step = await iterator.next();
      if (step.done) {
        if (length > 0) throw new DamagedBackup('the database is cut off');
        return null;
      }
      parts.push(step.value);
      length += step.value.length;
    }
    const all = Buffer.concat(parts);
    rest = all.subarray(bytes);
    return all.subarray(0, bytes);
  }
  async function piece(): Promise<Buffer | null> {
    const length = (await take(4))?.readUInt32BE();
    if (length === undefined) return null;
    if (length === 0) return Buffer.alloc(0);
    const bytes = await take(length);
    if (!bytes) throw new DamagedBackup('the database is cut off');
    return bytes;
  }
  async function* rows(): AsyncGenerator<Buffer> {
    for (;;) {
      const bytes = await piece();
      if (!bytes) throw new DamagedBackup('the database is cut off');
      if (bytes.length === 0) return;
      yield bytes;
    }
  }
  for (let head = await piece(); head; head = await piece()) {
    if (head.length > longestHead) throw new DamagedBackup('the database is damaged');
    yield { table: JSON.parse(head.toString('utf8')) as DumpedTable, rows: rows() };
  }
}
