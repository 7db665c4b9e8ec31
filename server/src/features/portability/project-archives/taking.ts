/** What reading archives has in common: lines, counts, and rows that are left out and told. */
import { isGitError } from '@millrace/git';
import type { Static, TObject } from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import type { RawObject } from '../../../kernel/http/params/nested.ts';
import type { Relation } from '../../namespaces/index.ts';
import type { Row } from './json.ts';
import { checked, parsed } from './manifest.ts';
import { ArchiveError, type TarEntry } from './tar.ts';
import type { Failure } from './transfers.queries.ts';
import { type UploadLine, uploadLine, uploadsName } from './uploads.ts';

/** How objects of Git LFS are called in what became of an import. */
export const largeFiles = 'lfs_objects';
/** One row of a relation. */
const longestLine = 2 * 1024 ** 2;
/** Rows that were left out and are told one by one; all are counted. */
const toldFailures = 100;
/** Of one relation; an archive with more is none of ours. */
export const mostWrong = 10_000;

export interface Outcome {
  readonly failures: Failure[];
  readonly fetched: Record<string, number>;
  readonly imported: Record<string, number>;
}

/** Tells why something was left out, as long as people may still read it. */
export function tell({ failures }: Pick<Outcome, 'failures'>, failure: Failure): void {
  if (failures.length < toldFailures) failures.push(failure);
}

/** Counts something that is no row, and tells why it was left out. */
export function count(outcome: Outcome, name: string, reason: string | null): void {
  const { fetched, imported } = outcome;
  const line = (fetched[name] ?? 0) + 1;
  fetched[name] = line;
  imported[name] = (imported[name] ?? 0) + (reason === null ? 1 : 0);
  if (reason !== null) tell(outcome, { relation: name, line, reason });
}

/** The lines of a file. */
export async function* linesOf(
  { name, body }: { readonly name: string; readonly body: AsyncIterable<Buffer> },
  longest = longestLine,
): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    let data = chunk;
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10)) {
      parts.push(data.subarray(0, end));
      yield Buffer.concat(parts).toString('utf8');
      parts = [];
      length = 0;
      data = data.subarray(end + 1);
    }
    length += data.length;
    if (length > longest) throw new ArchiveError(`${name} has a line of more than ${longest} bytes`);
    if (data.length > 0) parts.push(data);
  }
  if (length > 0) yield Buffer.concat(parts).toString('utf8');
}

/** After the last row: what rows of relations add up to. */
export async function settle(tx: Db, relations: readonly Relation[], projectId: number): Promise<void> {
  for (const relation of relations) await relation.arrived?.(tx, projectId);
}

/** What taking rows needs of a relation, of projects or groups. */
type TakenRelation<Target> = Pick<Relation, 'name' | 'schema'> & {
  insert(tx: Db, row: never, target: Target): Promise<string | null>;
  readonly insertMany?: (tx: Db, rows: readonly never[], target: Target) => Promise<readonly (string | null)[]>;
};

/** Rows that are put in together. */
const batchRows = 500;
/** Characters of lines that are held for that. */
const batchLength = 4 * 1024 ** 2;

/** Why something of an archive is wrong; throws what is wrong with the instance. */
function wrongness(error: unknown): string {
  if (error instanceof ArchiveError) return error.message;
  throw error;
}

/** Puts rows in, each as a line of JSON or already read; why not, for each that is wrong. The first is of the line `from`. */
export async function takeBatch<Target>(
  tx: Db,
  relation: TakenRelation<Target>,
  rows: readonly (string | Row)[],
  target: Target,
  from: number,
): Promise<readonly (string | null)[]> {
  const reasons: (string | null)[] = rows.map(() => null);
  const good: { readonly at: number; readonly row: never }[] = [];
  for (const [at, row] of rows.entries())
    try {
      const where = `line ${from + at}`;
      const found = typeof row === 'string' ? parsed(row, where) : (row as RawObject);
      good.push({ at, row: checked(relation.schema, found, where) as never });
    } catch (error) {
      reasons[at] = wrongness(error);
    }
  if (relation.insertMany) {
    const all = good.map(({ row }) => row);
    const found = await relation.insertMany(tx, all, target);
    for (const [index, { at }] of good.entries()) reasons[at] = found[index] ?? null;
  } else for (const { at, row } of good) reasons[at] = await relation.insert(tx, row, target).catch(wrongness);
  return reasons;
}

/** Puts one row in that is already read; why not, where it is wrong. */
export async function takeRow<Target>(
  tx: Db,
  relation: TakenRelation<Target>,
  row: Row,
  target: Target,
  line: number,
): Promise<string | null> {
  return (await takeBatch(tx, relation, [row], target, line))[0] ?? null;
}

/** Lines in batches that are put in together, bounded in number and length. */
async function* batchesOf(lines: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let held: string[] = [];
  let length = 0;
  for await (const line of lines) {
    held.push(line);
    length += line.length;
    if (held.length < batchRows && length < batchLength) continue;
    yield held;
    held = [];
    length = 0;
  }
  if (held.length > 0) yield held;
}

/** Puts all rows of an entry in; those that are wrong are told and left out. Counts go on where they are. */
export async function takeRows<Target>(
  tx: Db,
  relation: TakenRelation<Target>,
  entry: TarEntry,
  target: Target,
  outcome: Outcome,
  signal: AbortSignal,
): Promise<void> {
  const { name } = relation;
  let line = 0;
  let wrong = 0;
  for await (const rows of batchesOf(linesOf(entry))) {
    signal.throwIfAborted();
    const reasons = await takeBatch(tx, relation, rows, target, line + 1);
    for (const reason of reasons) {
      line += 1;
      if (reason === null) continue;
      wrong += 1;
      tell(outcome, { relation: name, line, reason });
    }
    if (wrong > mostWrong) throw new ArchiveError(`${entry.name} has more than ${mostWrong} lines that are wrong`);
  }
  outcome.fetched[name] = (outcome.fetched[name] ?? 0) + line;
  outcome.imported[name] = (outcome.imported[name] ?? 0) + line - wrong;
}

/** Rows that say what the files of an archive are, whose bytes come behind; those that are wrong are told and left out. */
export async function readFileRows<T extends TObject>(
  entry: TarEntry,
  { name, schema, most }: { readonly name: string; readonly schema: T; readonly most: number },
  outcome: Outcome,
): Promise<Static<T>[]> {
  const found: Static<T>[] = [];
  let line = 0;
  for await (const text of linesOf(entry)) {
    line += 1;
    try {
      found.push(checked(schema, parsed(text, `line ${line}`), `line ${line}`) as Static<T>);
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      tell(outcome, { relation: name, line, reason: error.message });
    }
    if (line > most) throw new ArchiveError(`${entry.name} has more than ${most} lines`);
  }
  return found;
}

/** What uploaded files were called, by the secrets of their addresses. */
export async function readUploads(entry: TarEntry, most: number, outcome: Outcome): Promise<Map<string, UploadLine>> {
  const rows = await readFileRows(entry, { name: uploadsName, schema: uploadLine, most }, outcome);
  return new Map(rows.map((row) => [row.secret, row]));
}

/** What went wrong with the file, in words; null for what is wrong with the instance. */
export function archiveReason(error: unknown): string | null {
  if (error instanceof ArchiveError) return error.message;
  if (isGitError(error) && ['corrupt', 'limit', 'invalid'].includes(error.code))
    return `The repository of the archive was refused: ${error.message}`;
  return null;
}
