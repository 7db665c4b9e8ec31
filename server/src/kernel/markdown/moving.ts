/** Texts that go to another project or group: their references are written so that they lead from there to where they led. Pure. */
import type { Piece } from './html/sanitise.ts';
import type { OwnPlace } from './places.ts';
import { findReferences, type Reference } from './references.ts';
import type { FoundTarget } from './targets.ts';

/** The numbers that stand for the words of a text while it is asked which of them are references. */
const firstProbe = 987_654_000;

/** A name that means the same everywhere stays as it is. */
const samePlaces: ReadonlySet<string> = new Set(['external_issue', 'group', 'user']);

/** How a text of another place writes what a reference leads to; as it is where that leads nowhere, or there as here. */
export function wordsElsewhere(reference: Reference, target: FoundTarget | undefined, to: OwnPlace): string {
  const { text } = reference;
  const place = target?.place;
  if (!target || !place || samePlaces.has(target.kind)) return text;
  if (target.lasting?.startsWith('/')) return target.lasting;
  const sign = /[#!&$%~@]/.exec(text)?.[0] ?? '@';
  const word = target.lasting ?? `${sign}${reference.value}${reference.format ?? ''}`;
  if (place.kind === 'group') {
    const path = place.group.full_path;
    return path === to.group ? text : `${path}${word}`;
  }
  const { namespace, project } = place;
  const path = `${namespace.full_path}/${project.path}`;
  if (path === to.project) return text;
  return `${to.project !== null && namespace.full_path === to.group ? project.path : path}${word}`;
}

/**
 * The references of a text, but not those in its code, its links and its HTML: a text that has a number of an issue instead of
 * each of them is rendered, and those whose number comes out as a reference are ones.
 */
export function moving(text: string) {
  const references = findReferences(text).filter(({ kind }) => !samePlaces.has(kind));
  const replaced = (word: (at: number) => string): string => {
    let from = 0;
    const parts: string[] = [];
    for (const [at, { start, end }] of references.entries()) {
      parts.push(text.slice(from, start), word(at));
      from = end;
    }
    return parts.join('') + text.slice(from);
  };
  return {
    references,
    probe: replaced((at) => `#${firstProbe + at}`),
    /** The text with other words for those of its references that are rendered as such. */
    with: (words: readonly string[], rendered: readonly Piece[]): string => {
      const alive = new Set(
        rendered.flatMap((piece) =>
          typeof piece === 'object' && 'reference' in piece && piece.reference.kind === 'issue'
            ? [Number(piece.reference.value) - firstProbe]
            : [],
        ),
      );
      return replaced((at) => (alive.has(at) ? words[at] : undefined) ?? references[at]?.text ?? '');
    },
  };
}
