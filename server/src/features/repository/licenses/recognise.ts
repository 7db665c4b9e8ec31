/** Which licence a text is: its words compared with those of the known ones. */
import { type License, licenses, licenseText } from '../templates/licenses.data.ts';

/** Names of files that hold the terms, best first. */
const names = [
  /^licen[sc]e(\.(md|markdown|txt|rst|html))?$/i,
  /^copying(\.(md|markdown|txt|rst))?$/i,
  /^unlicense(\.(md|txt))?$/i,
  /^licen[sc]e[-.][\w.+-]+$/i,
  /^copying[-.][\w.+-]+$/i,
];

/** The file of a folder that holds the terms; null where none has such a name. */
export function licenseFile(files: readonly string[]): string | null {
  for (const pattern of names) {
    const [found] = files.filter((name) => pattern.test(name)).sort();
    if (found !== undefined) return found;
  }
  return null;
}

/** What says who and when, and what comes after the terms. */
const notices =
  /^[^\p{L}\n]*(?:portions )?(?:copyright|©)(?=.*(?:\(c\)|©|\d{4}|<year>|\[yyyy\])).*$|all rights reserved\.?/gimu;
const afterwards = /end of terms and conditions.*$/s;
/** The text of one licence has that of another one behind it. */
const appended = /(?<=.{100}) gnu general public license version 3 29 june 2007.*$/;

/** Its words, in small letters. */
function wordsOf(text: string): string[] {
  const plain = text
    .replace(notices, ' ')
    .toLowerCase()
    .replace(/[’‘']/g, '')
    .replace(/licence/g, 'license')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(afterwards, '')
    .replace(appended, '');
  return plain.split(' ').filter((word) => word !== '');
}

function bagOf(words: readonly string[]): Map<string, number> {
  const bag = new Map<string, number>();
  for (const word of words) bag.set(word, (bag.get(word) ?? 0) + 1);
  return bag;
}

/** How much two texts have in common, from 0 to 1. */
function likeness(a: Bag, b: Bag): number {
  let shared = 0;
  for (const [word, count] of a.words) shared += Math.min(count, b.words.get(word) ?? 0);
  return (2 * shared) / (a.size + b.size);
}

interface Bag {
  readonly words: Map<string, number>;
  readonly size: number;
}
const bag = (text: string): Bag => {
  const words = wordsOf(text);
  return { words: bagOf(words), size: words.length };
};

/** Less is another text, or one that somebody changed. */
const enough = 0.95;
/** No known one is longer than a fraction of this. */
export const longestLicense = 256 * 1024;

let known: Promise<readonly (readonly [License, Bag])[]> | undefined;
const bags = () => {
  known ??= Promise.all(licenses.map(async (license) => [license, bag(await licenseText(license))] as const));
  return known;
};

/** The licence that a text is; null for one that is not known. */
export async function recognise(text: string): Promise<License | null> {
  const given = bag(text.slice(0, longestLicense));
  let best: { license: License; score: number } | null = null;
  for (const [license, terms] of await bags()) {
    // Texts that are not about as long are not alike.
    if (Math.min(terms.size, given.size) < 0.85 * Math.max(terms.size, given.size)) continue;
    const score = likeness(given, terms);
    if (score >= enough && score > (best?.score ?? 0)) best = { license, score };
  }
  return best?.license ?? null;
}
