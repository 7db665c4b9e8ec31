/** Buttons of the toolbar, as changes of texts. The selection is between the bars. */
import { expect, it } from 'vitest';
import { type Format, formatted } from './formatting.ts';

function run(marked: string, format: Format): string {
  const [start, end] = [marked.indexOf('|'), marked.lastIndexOf('|') - 1];
  const text = marked.replaceAll('|', '');
  const edit = formatted(text, start, end, format);
  const after = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
  const [from, to] = edit.select;
  return `${after.slice(0, from)}|${after.slice(from, to)}|${after.slice(to)}`;
}

it.each([
  ['a |word| b', 'bold', 'a **|word|** b'],
  ['a **|word|** b', 'bold', 'a |word| b'],
  ['||', 'italic', '_||_'],
  ['|a\nb|', 'code', '```\n|a\nb|\n```'],
  ['see |it|', 'link', 'see [it](|url|)'],
  ['x\n|a\nb|', 'list', 'x\n|- a\n- b|'],
  ['|- a\n- b|', 'list', '|a\nb|'],
  ['|a\nb|', 'numbers', '|1. a\n2. b|'],
  ['a||', 'tasks', '- [ ] a||'],
  ['a||\nb', 'heading', '### a||\nb'],
] as const)('%s: %s', (before, format, after) => expect(run(before, format)).toBe(after));
