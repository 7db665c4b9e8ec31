/** Texts that a regular expression cannot match without, and where expressions match. */
import { RE2JS } from 're2js';
import { expect, it } from 'vitest';
import { patternMatches, patternProblem, requiredTexts } from './patterns.ts';

it.each([
  ['hello', ['hello']],
  ['hello world', ['hello world']],
  ['foo.*bar', ['foo', 'bar']],
  ['fooo?bar', ['foo', 'bar']],
  ['fo{2}bar', ['bar']],
  ['foo+bar', ['foo', 'bar']],
  ['foo\\(bar\\)', ['foo(bar)']],
  ['foo\\bbar', ['foo', 'bar']],
  ['foo|ba', []],
  ['foo|', []],
  ['foo[|]b|(?i)c', []],
  ['(foo|bar)bazz', ['bazz']],
  ['[abc]defg', ['defg']],
  ['[]abc]defg', ['defg']],
  ['[[:alpha:]x]defg', ['defg']],
  ['(?i)foo', []],
  ['\\Qa.b\\E', []],
  ['\\123abc', []],
  ['\\pLabc', []],
  ['é+abc', ['abc']],
  ['ab', []],
])('%s needs %j', (source, texts) => {
  expect(requiredTexts(source).map((each) => each.sort())).toEqual(texts.length === 0 ? [] : [[...texts].sort()]);
});

it('each alternative needs its own', () => {
  expect(requiredTexts('fooo|bar[0-9]+')).toEqual([['fooo'], ['bar']]);
  expect(requiredTexts('a\\|bc|(def|g)hij.*klmn')).toEqual([['a|bc'], ['klmn', 'hij']]);
  expect(requiredTexts(Array.from({ length: 17 }, (_, at) => `word${at}`).join('|'))).toEqual([]);
});

it('whatever matches holds them', () => {
  let state = 11;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const parts = ['abc', 'b', 'xyz', '.', '(abc|x)', '[a-c]', '\\.', '\\w', '^', '$', 'c{0,2}', '(?:xyz)', '{', '-'];
  const after = ['', '', '', '*', '+', '?', '{2}', '{0}', '*?', '|'];
  const pick = (from: readonly string[]) => from[random(from.length)] ?? '';
  let matched = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const source = Array.from({ length: 1 + random(5) }, () => pick(parts) + pick(after)).join('');
    const line = Array.from({ length: random(8) }, () => pick(['abc', 'xyz', 'b', '.', 'c', '{', '-', 'aa'])).join('');
    if (patternProblem(source) !== null || !RE2JS.compile(source).matcher(line).find()) continue;
    matched += 1;
    const needed = requiredTexts(source);
    const held = needed.length === 0 || needed.some((texts) => texts.every((text) => line.includes(text)));
    expect([source, line, held]).toEqual([source, line, true]);
  }
  expect(matched).toBeGreaterThan(1_000);
});

it('lines are matched each for itself', () => {
  const texts = ['one\ntwo\r\nTwo', ''];
  expect(patternMatches({ source: '^two$', cased: false, texts })).toEqual([
    [
      { line: 1, at: 0 },
      { line: 2, at: 0 },
    ],
    [],
  ]);
  expect(patternMatches({ source: 'wo', cased: true, texts })[0]).toHaveLength(2);
});
