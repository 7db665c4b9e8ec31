/** Finds secrets in lines of text; pure, in linear time. */
import { RE2JS } from 're2js';
import { type SecretKind, secretKinds } from './rules.ts';

/** Longer lines are looked at in parts that overlap: patterns are slow on very long ones, and secrets are short. */
const part = 8_192;
const overlap = 512;

function* partsOf(text: string): Generator<string> {
  for (let at = 0; at === 0 || at < text.length - overlap; at += part - overlap) yield text.slice(at, at + part);
}

const compiled = secretKinds.map((kind) => ({ ...kind, pattern: RE2JS.compile(kind.pattern) }));
const quoted = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\-]/g, '\\$&');

/** Tells the name of the first kind of secret that is in a line. `ownPrefix` is what access tokens begin with here. */
export function secretScanner(ownPrefix: string): (text: string) => string | null {
  const known = secretKinds.some(({ marks }) => marks.includes(ownPrefix));
  const mine: readonly SecretKind[] =
    ownPrefix.length >= 3 && !known
      ? [{ name: 'personal access token', marks: [ownPrefix], pattern: `${quoted(ownPrefix)}[A-Za-z0-9_-]{20,}` }]
      : [];
  const all = [...mine.map((kind) => ({ ...kind, pattern: RE2JS.compile(kind.pattern) })), ...compiled];
  // Alternatives of literal texts: nothing to go back over.
  const marked = new RegExp(all.flatMap(({ marks }) => marks.map(quoted)).join('|'));
  return (text) => {
    if (!marked.test(text)) return null;
    for (const piece of partsOf(text)) {
      if (!marked.test(piece)) continue;
      const found = all.find(
        ({ marks, pattern }) => marks.some((mark) => piece.includes(mark)) && pattern.matcher(piece).find(),
      );
      if (found) return found.name;
    }
    return null;
  };
}
