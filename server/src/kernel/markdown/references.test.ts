/** Words that name requests, commits and people. */
import { describe, expect, test } from 'vitest';
import { findReferences } from './references.ts';

const named = (text: string) =>
  findReferences(text).map(({ start, end, kind, place }) => [kind, place, text.slice(start, end)]);

describe('references in texts', () => {
  test.each([
    ['see !12.', [['merge_request', null, '!12']]],
    [
      'mill/race!3 and a/b/c@0123abcd',
      [
        ['merge_request', 'mill/race', 'mill/race!3'],
        ['commit', 'a/b/c', 'a/b/c@0123abcd'],
      ],
    ],
    [
      '/a/b%"Two words" (/c%1) d/e https://f/g#1',
      [
        ['milestone', 'a/b', '/a/b%"Two words"'],
        ['milestone', 'c', '/c%1'],
      ],
    ],
    [
      '#1+, !2+s #3+5 $4+ a/b&5+',
      [
        ['issue', null, '#1+'],
        ['merge_request', null, '!2+s'],
        ['issue', null, '#3'],
        ['snippet', null, '$4+'],
        ['epic', 'a/b', 'a/b&5+'],
      ],
    ],
    ['thanks @ada.', [['user', null, '@ada']]],
    ['@deadbeef1 wrote', [['user', null, '@deadbeef1']]],
    ['since 3f786850e387550fdab836ed7e6dc881de23001b', [['commit', null, '3f786850e387550fdab836ed7e6dc881de23001b']]],
    [
      '#1, a/b#2; &3 c&4 (d/e&5) $6',
      [
        ['issue', null, '#1'],
        ['issue', 'a/b', 'a/b#2'],
        ['epic', null, '&3'],
        ['epic', 'c', 'c&4'],
        ['epic', 'd/e', 'd/e&5'],
        ['snippet', null, '$6'],
      ],
    ],
    [
      '%v1.0. %"Two words", a/b%3',
      [
        ['milestone', null, '%v1.0'],
        ['milestone', null, '%"Two words"'],
        ['milestone', 'a/b', 'a/b%3'],
      ],
    ],
    [
      '~bug, ~"good first issue" ~priority::high. ~größe',
      [
        ['label', null, '~bug'],
        ['label', null, '~"good first issue"'],
        ['label', null, '~priority::high'],
        ['label', null, '~größe'],
      ],
    ],
    [
      '@a/b-c and a/b@3f78685..3f78686 3f78685...3f78686',
      [
        ['group', null, '@a/b-c'],
        ['commit_range', 'a/b', 'a/b@3f78685..3f78686'],
        ['commit_range', null, '3f78685...3f78686'],
      ],
    ],
    [
      '(3f78685), 3f78685!',
      [
        ['commit', null, '3f78685'],
        ['commit', null, '3f78685'],
      ],
    ],
  ])('%s', (text, expected) => {
    expect(named(text)).toEqual(expected);
  });

  test.each([
    'a!b',
    'ada@example.com',
    '1234567',
    'word!',
    '3f7868',
    'https://host/x!1',
    'deadbeefs',
    '@@',
    '&!1',
    '##1',
    '100%',
    '$x',
    '~ a',
    '&amp',
  ])('%s names nothing', (text) => {
    expect(named(text)).toEqual([]);
  });

  test('long texts are searched in time, and give no more than a few hundred', () => {
    const begun = process.cpuUsage();
    expect(findReferences('a/'.repeat(200_000))).toEqual([]);
    expect(findReferences('a.'.repeat(200_000))).toEqual([]);
    expect(findReferences('!1 '.repeat(100_000))).toHaveLength(200);
    expect(process.cpuUsage(begun).user / 1e6).toBeLessThan(2);
  });
});
