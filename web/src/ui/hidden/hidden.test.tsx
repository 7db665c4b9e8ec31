/** Which characters are marked, which belong to what is seen, and what is drawn in their place. */
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { CodeLine } from '../code/CodeLine.tsx';
import { hiddenIn, linesWithHidden, mostInLine, placesOf, wordsOf } from './characters.ts';
import { markedLine } from './MarkedText.tsx';

const found = (line: string, first = false) =>
  hiddenIn(line, first).map(({ at, length }) => line.slice(at, at + length));
const rlo = '\u202e';
const pdi = '\u2069';
const lri = '\u2066';

describe('security: hidden characters of code (CVE-2021-42574)', () => {
  it('finds every character that changes the order of what is shown', () => {
    const order = [0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];
    for (const code of order) {
      const character = String.fromCodePoint(code);
      expect([code, found(`a${character}b`)]).toEqual([code, [character]]);
    }
    expect(found(`if (level != "user${rlo} ${lri}// admins${pdi} ${lri}") {`)).toEqual([rlo, lri, pdi, lri]);
  });

  it('finds what has no width, what fills, control characters and text in variation selectors', () => {
    for (const character of [
      '\u200b',
      '\u2060',
      '\ufeff',
      '\u00ad',
      '\u3164',
      '\u0008',
      '\u001b',
      '\u2028',
      '\u{e0041}',
    ])
      expect([character, found(`a${character}b`)]).toEqual([character, [character]]);
    expect(found('x\u200dy\u200cz')).toEqual(['\u200d', '\u200c']);
    // A message in the selectors after a letter is one place.
    expect(found('``\ufe01\u{e0120}\u{e0121}`')).toEqual(['\ufe01\u{e0120}\u{e0121}']);
    expect([found('shown\rover it'), found('a\u200b\r')]).toEqual([['\r'], ['\u200b']]);
  });

  it('leaves what belongs to what is seen', () => {
    const plain = [
      'naïve café',
      'שלום',
      'مرحبا',
      'a\tb\u00a0c',
      'line\r',
      '日本語',
      'form\ffeed',
      '1\ufe0f\u20e3',
      '❤\ufe0f',
    ];
    const emoji = [
      '👩\u200d👩\u200d👧',
      '🏳\ufe0f\u200d🌈',
      '👍🏽',
      '👩🏽\u200d🚀',
      '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    ];
    const spelled = ['می\u200cخواهم', 'क्\u200dष', '葛\u{e0100}'];
    for (const line of [...plain, ...emoji, ...spelled]) expect([line, found(line)]).toEqual([line, []]);
  });

  it('lets a file begin with the mark of its order of bytes, and nothing else', () => {
    expect([found('\ufeffusing', true), found('\ufeffusing'), found('\ufeff\u200busing', true)]).toEqual([
      [],
      ['\ufeff'],
      ['\u200b'],
    ]);
    expect(linesWithHidden(['\ufeffa', '\ufeffb\u200bc', 'd'])).toEqual([{ line: 2, places: 2 }]);
    expect(placesOf(linesWithHidden(['a\u200bb', `c${rlo}d${pdi}`]))).toBe(3);
  });

  it('says what it is, in short and in words', () => {
    expect(wordsOf(rlo)).toEqual({ short: 'U+202E', long: 'U+202E right-to-left override' });
    expect(wordsOf('\u{e0041}\u{e0042}')).toEqual({
      short: 'U+E0041+1',
      long: '2 hidden characters, from U+E0041 tag character',
    });
  });
});

describe('lines with hidden characters', () => {
  const html = (line: string, first = false) => renderToStaticMarkup(markedLine(line, first));

  it('show a mark with its name, and keep the character for copying', () => {
    const drawn = html(`a${rlo}b`);
    expect(drawn).toMatch(
      /^a<span [^>]*title="U\+202E right-to-left override"[^>]*data-hidden="U\+202E"[^>]*>.*<\/span>b$/,
    );
    expect(drawn).toContain('role="img"');
    expect(drawn).toContain('aria-label="U+202E right-to-left override"');
    expect(drawn.replaceAll(/<[^>]*>/g, '')).toBe(`a${rlo}b`);
    expect(html('plain &')).toBe('plain &amp;');
  });

  it('are bounded: after many marks a sign stands for each that follows', () => {
    const drawn = html('a\u200b'.repeat(mostInLine + 3));
    expect([drawn.split('role="img"').length - 1, drawn.split('\ufffd').length - 1]).toEqual([mostInLine, 3]);
  });

  const line = (text: string, tokens: [string, string, string][] | undefined, marked: boolean) =>
    renderToStaticMarkup(
      <CodeLine number={2} text={text} tokens={tokens} chosen={false} stop={false} marked={marked} />,
    );

  it('are marked the same with and without colours, and not where the project does not want it', () => {
    const text = `x = "${rlo}y"`;
    const tokens: [string, string, string][] = [
      ['x = ', 'red', 'blue'],
      [`"${rlo}y"`, 'red', 'blue'],
    ];
    expect(line(text, undefined, true)).toContain('data-hidden="U+202E"');
    expect(line(text, tokens, true)).toContain('data-hidden="U+202E"');
    expect([line(text, tokens, false), line(text, undefined, false)].join()).not.toContain('data-hidden');
  });

  it('are judged whole: colours may part a family', () => {
    const tokens: [string, string, string][] = [
      ['👩', 'red', 'blue'],
      ['\u200d👧\u200b', 'red', 'blue'],
    ];
    const drawn = line('👩\u200d👧\u200b', tokens, true);
    expect(drawn.match(/data-hidden="[^"]*"/g)).toEqual(['data-hidden="U+200B"']);
  });
});
