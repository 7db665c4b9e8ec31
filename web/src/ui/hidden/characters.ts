/** Characters of code that nobody sees, or that make it read otherwise than it runs (CVE-2021-42574). Pure. */

/** First and last code point, and what Unicode calls them. */
const hidden: readonly (readonly [first: number, last: number, name: string])[] = [
  [0x00, 0x08, 'control character'],
  [0x0b, 0x0b, 'control character'],
  [0x0d, 0x0d, 'carriage return'],
  [0x0e, 0x1f, 'control character'],
  [0x7f, 0x7f, 'delete'],
  [0xad, 0xad, 'soft hyphen'],
  [0x034f, 0x034f, 'combining grapheme joiner'],
  [0x061c, 0x061c, 'Arabic letter mark'],
  [0x115f, 0x1160, 'Hangul filler'],
  [0x17b4, 0x17b5, 'Khmer inherent vowel'],
  [0x180b, 0x180d, 'Mongolian variation selector'],
  [0x180e, 0x180e, 'Mongolian vowel separator'],
  [0x180f, 0x180f, 'Mongolian variation selector'],
  [0x200b, 0x200b, 'zero width space'],
  [0x200c, 0x200c, 'zero width non-joiner'],
  [0x200d, 0x200d, 'zero width joiner'],
  [0x200e, 0x200e, 'left-to-right mark'],
  [0x200f, 0x200f, 'right-to-left mark'],
  [0x2028, 0x2028, 'line separator'],
  [0x2029, 0x2029, 'paragraph separator'],
  [0x202a, 0x202a, 'left-to-right embedding'],
  [0x202b, 0x202b, 'right-to-left embedding'],
  [0x202c, 0x202c, 'pop directional formatting'],
  [0x202d, 0x202d, 'left-to-right override'],
  [0x202e, 0x202e, 'right-to-left override'],
  [0x2060, 0x2060, 'word joiner'],
  [0x2061, 0x2064, 'invisible operator'],
  [0x2066, 0x2066, 'left-to-right isolate'],
  [0x2067, 0x2067, 'right-to-left isolate'],
  [0x2068, 0x2068, 'first strong isolate'],
  [0x2069, 0x2069, 'pop directional isolate'],
  [0x206a, 0x206f, 'format character'],
  [0x3164, 0x3164, 'Hangul filler'],
  [0xfe00, 0xfe0f, 'variation selector'],
  [0xfeff, 0xfeff, 'zero width no-break space'],
  [0xffa0, 0xffa0, 'Hangul filler'],
  [0xfff9, 0xfffb, 'annotation character'],
  [0x1d173, 0x1d17a, 'musical format character'],
  [0xe0000, 0xe00ff, 'tag character'],
  [0xe0100, 0xe01ef, 'variation selector'],
];

const escaped = (code: number) => `\\u{${code.toString(16)}}`;
const classOf = hidden.map(([first, last]) => `${escaped(first)}-${escaped(last)}`).join('');

/** Scripts whose words are spelled with joiners. */
const joined = [
  ...['Arabic', 'Bengali', 'Devanagari', 'Gujarati', 'Gurmukhi', 'Kannada', 'Khmer', 'Malayalam', 'Mongolian'],
  ...['Myanmar', 'Oriya', 'Sinhala', 'Syriac', 'Tamil', 'Telugu', 'Tibetan'],
]
  .map((script) => `\\p{Script=${script}}`)
  .join('');
/** Where these characters belong to what is seen: flags, families, keycaps, spelling, forms of a sign, ends of lines. */
const belonging = [
  '\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{1,6}\\u{e007f}',
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\u{fe0f}])\\u200d(?=\\p{Extended_Pictographic})',
  `(?<=[${joined}])[\\u200c\\u200d]`,
  '(?<=[\\p{Emoji}\\p{Sm}\\p{So}\\p{Ideographic}\\p{Script=Myanmar}\\p{Script=Phags_Pa}])[\\u{fe00}-\\u{fe0f}\\u{e0100}-\\u{e01ef}]',
  '(?<=\\p{Script=Mongolian})[\\u180b-\\u180f]',
  '\\r+$',
].join('|');

const any = new RegExp(`[${classOf}]`, 'u');
const each = new RegExp(`(?:${belonging})|((?:(?!\\r+$)[${classOf}])+)`, 'gu');

/** A place in a line with one such character, or several without anything between them. */
export interface Hidden {
  readonly at: number;
  readonly length: number;
}

/** More places in one line are not marked one by one. */
export const mostInLine = 500;

/** The places of a line, in order. `first`: of a whole file, which may begin with the mark of its order of bytes. */
export function hiddenIn(line: string, first = false): readonly Hidden[] {
  if (!any.test(line)) return [];
  const skipped = first && line.startsWith('\ufeff') ? 1 : 0;
  const found: Hidden[] = [];
  for (const match of line.slice(skipped).matchAll(each))
    if (match[1] !== undefined) found.push({ at: match.index + skipped, length: match[1].length });
  return found;
}

const nameOf = (code: number) => hidden.find(([first, last]) => code >= first && code <= last)?.[2] ?? 'character';
const codeOf = (code: number) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

/** What stands in place of what is not seen, short and in words. */
export function wordsOf(characters: string): { readonly short: string; readonly long: string } {
  const codes = Array.from(characters, (character) => character.codePointAt(0) ?? 0);
  const [first = 0] = codes;
  const one = { short: codeOf(first), long: `${codeOf(first)} ${nameOf(first)}` };
  return codes.length === 1
    ? one
    : { short: `${one.short}+${codes.length - 1}`, long: `${codes.length} hidden characters, from ${one.long}` };
}

/** A line of a text that has any. */
export interface HiddenLine {
  /** Counted from one. */
  readonly line: number;
  readonly places: number;
}

/** The lines of a file with hidden characters. */
export function linesWithHidden(lines: readonly string[]): readonly HiddenLine[] {
  return lines.flatMap((text, index) => {
    const places = hiddenIn(text, index === 0).length;
    return places === 0 ? [] : [{ line: index + 1, places }];
  });
}

export const placesOf = (lines: readonly HiddenLine[]): number => lines.reduce((sum, { places }) => sum + places, 0);
