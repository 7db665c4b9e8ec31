/** How a badge looks: a word on grey, and what is so on a colour that says whether it is good. */
import { Readable } from 'node:stream';
import { type Streamed, streamed } from '../../../kernel/http/route.ts';

export interface BadgeLook {
  /** Replaces the word on the left. */
  readonly keyText?: string | undefined;
  /** Pixels of the left half; by the length of its text when absent. */
  readonly keyWidth?: number | undefined;
  /** Pixels of the right half; by the length of its text when absent. */
  readonly valueWidth?: number | undefined;
  /** With square corners. */
  readonly square?: boolean | undefined;
}

export interface Badge {
  readonly key: string;
  readonly value: string;
  readonly color: string;
}

type Query = Readonly<Record<string, unknown>>;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/** About what a letter of the font takes at its size, with the space beside the text. */
const widthOf = (text: string): number => Math.round([...text].length * 6.6 + 12);

const shortened = (text: string): string => [...text].slice(0, 64).join('');

/** The drawing; texts of requests are escaped, and cut where they would hide what stands beside them. */
export function badgeSvg({ key: word, value: given, color }: Badge, look: BadgeLook = {}): string {
  const key = shortened(look.keyText ?? word);
  const value = shortened(given);
  const left = look.keyWidth ?? widthOf(key);
  const right = look.valueWidth ?? widthOf(value);
  const label = `${escaped(key)}: ${escaped(value)}`;
  const text = (x: number, content: string) =>
    `<text x="${x}" y="15" fill="#010101" fill-opacity=".3">${content}</text><text x="${x}" y="14">${content}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}">`,
    `<title>${label}</title>`,
    `<clipPath id="r"><rect width="${left + right}" height="20" rx="${look.square ? 0 : 3}"/></clipPath>`,
    `<g clip-path="url(#r)"><path fill="#555" d="M0 0h${left}v20H0z"/><path fill="${color}" d="M${left} 0h${right}v20H${left}z"/></g>`,
    '<g fill="#fff" text-anchor="middle" font-family="DejaVu Sans,Verdana,Geneva,sans-serif" font-size="11">',
    text(left / 2, escaped(key)),
    text(left + right / 2, escaped(value)),
    '</g></svg>',
    '',
  ].join('\n');
}

/** A whole number of a query that is within its bounds. */
function integer(text: unknown, most: number): number | undefined {
  const number = typeof text === 'string' && /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= most ? number : undefined;
}

/** What the address asks for: `key_text`, `key_width`, `value_width` and `style`. What is out of bounds is not heard. */
const badgeLook = (query: Query): BadgeLook => ({
  keyText: typeof query.key_text === 'string' && query.key_text !== '' ? query.key_text : undefined,
  keyWidth: integer(query.key_width, 512),
  valueWidth: integer(query.value_width, 200),
  square: query.style === 'flat-square',
});

/** The answer for a badge. */
export const badgeAnswer = (badge: Badge, query: Query): Streamed =>
  streamed(Readable.from([badgeSvg(badge, badgeLook(query))]), 'image/svg+xml', {
    // Proxies of readme files keep what nobody forbids them to keep.
    'Cache-Control': 'private, no-store',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  });
