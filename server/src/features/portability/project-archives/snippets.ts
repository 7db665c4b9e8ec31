/** Snippets on their way into an archive and back: a line each, and their repositories as files. */
import type { Readable } from 'node:stream';
import Type, { type Static } from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { DateTimeParam, Int, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { awardLines, takeAwards } from '../../collaboration/index.ts';
import { snippetNotes } from '../../collaboration/notes/index.ts';
import type { ArchivedSnippet, ImportTarget, ProjectRepositories } from '../../namespaces/index.ts';
import { relationName } from './manifest.ts';
import { count, type Outcome, readFileRows, takeRows } from './taking.ts';
import type { TarEntry } from './tar.ts';

export const snippetsName = 'snippets';
/** Their comments stand behind them in the archive. */
export const snippetNotesName = 'snippet_notes';
/** The repository of a snippet by its number in the archive. */
const snippetName = (number: number) => `snippets/${number}.bundle`;
const snippetNumberOf = (name: string): number | null => {
  const found = /^snippets\/([1-9]\d{0,8})\.bundle$/.exec(name)?.[1];
  return found === undefined ? null : Number(found);
};

export const snippetLine = Type.Object({
  number: Int({ minimum: 1, maximum: 999_999_999 }),
  title: Str({ minLength: 1, maxLength: 255 }),
  description: Optional(OrNull(Str({ maxLength: 1_000_000 }))),
  visibility: OneOf(['private', 'internal', 'public']),
  branch: OrNull(Str({ maxLength: 1024 })),
  author: Optional(OrNull(Str({ maxLength: 255 }))),
  created_at: DateTimeParam(),
  updated_at: DateTimeParam(),
  award_emoji: awardLines,
});
export type SnippetLine = Static<typeof snippetLine>;

/**
 * Writes the repository of each with `keep`; answers the lines, which stand before them in the archive, and the numbers
 * that they have there by their ids.
 */
export async function archivedSnippets(
  all: AsyncIterable<{ readonly id: number; readonly line: ArchivedSnippet; readonly bytes: Readable }>,
  keep: (name: string, bytes: Readable) => Promise<void>,
): Promise<{ readonly lines: readonly object[]; readonly numbers: ReadonlyMap<number, number> }> {
  const lines: object[] = [];
  const numbers = new Map<number, number>();
  for await (const { id, line, bytes } of all) {
    const number = lines.length + 1;
    await keep(snippetName(number), bytes);
    lines.push({ number, ...line });
    numbers.set(id, number);
  }
  return { lines, numbers };
}

export interface SnippetTaking {
  readonly db: Db;
  readonly repository: Pick<ProjectRepositories, 'takeSnippet'>;
  readonly subject: ProjectSubject;
  readonly target: ImportTarget;
  readonly outcome: Outcome;
  /** Lines of one file. */
  readonly most: number;
  readonly signal: AbortSignal;
}

/** Makes a snippet and notes its id by its number; why it is left out, or null where it is in. */
export async function takeSnippet(
  { db, repository, subject, target }: Pick<SnippetTaking, 'db' | 'repository' | 'subject' | 'target'>,
  line: SnippetLine,
  source: Parameters<ProjectRepositories['takeSnippet']>[3],
  limits: Parameters<ProjectRepositories['takeSnippet']>[4],
  ids: Map<number, number>,
): Promise<string | null> {
  const author = { id: (await target.person(line.author)) ?? target.importerId, mayRestricted: target.trusted };
  const taken = await repository.takeSnippet(subject, line, author, source, limits);
  if ('reason' in taken) return taken.reason;
  ids.set(line.number, taken.id);
  await takeAwards(db, [{ type: 'snippet', noteable_id: taken.id, lines: line.award_emoji }], target);
  return null;
}

/** Reads what an archive has of snippets, entry by entry; false for an entry that is about something else. */
export function snippetTaker(taking: SnippetTaking): (entry: TarEntry) => Promise<boolean> {
  const { db, target, outcome, signal } = taking;
  let lines: ReadonlyMap<number, SnippetLine> = new Map();
  const ids = new Map<number, number>();

  /** Why it is left out; null where it is in. */
  async function take(number: number, { name, size, body }: TarEntry): Promise<string | null> {
    const line = lines.get(number);
    if (!line) return `${name} is not among the rows of snippets`;
    return await takeSnippet(taking, line, body, { size, maxBytes: Math.max(size, 1), signal }, ids);
  }

  return async (entry) => {
    const number = snippetNumberOf(entry.name);
    if (number !== null) count(outcome, snippetsName, await take(number, entry));
    else if (entry.name === relationName(snippetsName)) {
      const rows = await readFileRows(entry, { name: snippetsName, schema: snippetLine, most: taking.most }, outcome);
      lines = new Map(rows.map((row) => [row.number, row]));
    } else if (entry.name === relationName(snippetNotesName))
      await transaction(db, (tx) => takeRows(tx, snippetNotes(ids), entry, target, outcome, signal));
    else return false;
    return true;
  };
}
