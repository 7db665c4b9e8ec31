/** Blocks of suggestions. */
import { expect, it } from 'vitest';
import { suggestionBlock } from './suggestions.ts';

it('a suggestion replaces the lines that are commented on', () => {
  expect(suggestionBlock('', ['one'])).toBe('```suggestion:-0+0\none\n```\n');
  expect(suggestionBlock('Better:\n', ['one', 'two'])).toBe('Better:\n\n```suggestion:-1+0\none\ntwo\n```\n');
  expect(suggestionBlock('', ['```js', 'x', '```'])).toBe('````suggestion:-2+0\n```js\nx\n```\n````\n');
});
