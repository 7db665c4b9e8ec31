/** Snippets on their way into an archive and back: a line each, and their repositories as files. */
import type { Readable } from 'node:stream';
import Type, { type Static } from 'typebox';
import { DateTimeParam, Int, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import type { ArchivedSnippet } from '../../namespaces/index.ts';
import { type Outcome, readFileRows } from './taking.ts';
import type { TarEntry } from './tar.ts';

export const snippetsName = 'snippets';
/** The repository of a snippet by its number in the archive. */
const snippetName = (number: number) => `snippets/${number}.bundle`;
export const snippetNumberOf = (name: string): number | null => {
  const found = /^snippets\/([1-9]\d{0,8})\.bundle$/.exec(name)?.[1];
  return found === undefined ? null : Number(found);
};

const snippetLine = Type.Object({
  number: Int({ minimum: 1, maximum: 999_999_999 }),
  title: Str({ minLength: 1, maxLength: 255 }),
  description: Optional(OrNull(Str({ maxLength: 1_000_000 }))),
  visibility: OneOf(['private', 'internal', 'public']),
  branch: OrNull(Str({ maxLength: 1024 })),
  author: Optional(OrNull(Str({ maxLength: 255 }))),
  created_at: DateTimeParam(),
  updated_at: DateTimeParam(),
});
export type SnippetLine = Static<typeof snippetLine>;

/** Writes the repository of each with `keep`; answers the lines, which stand before them in the archive. */
export async function archivedSnippets(
  all: AsyncIterable<{ readonly line: ArchivedSnippet; readonly bytes: Readable }>,
  keep: (name: string, bytes: Readable) => Promise<void>,
): Promise<object[]> {
  const lines: object[] = [];
  for await (const { line, bytes } of all) {
    const number = lines.length + 1;
    await keep(snippetName(number), bytes);
    lines.push({ number, ...line });
  }
  return lines;
}

/** What snippets are, by their numbers. */
export async function readSnippets(entry: TarEntry, most: number, outcome: Outcome): Promise<Map<number, SnippetLine>> {
  const rows = await readFileRows(entry, { name: snippetsName, schema: snippetLine, most }, outcome);
  return new Map(rows.map((row) => [row.number, row]));
}
