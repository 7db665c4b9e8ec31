/** Suggestions at the place that `|` marks. */
import { describe, expect, it } from 'vitest';
import { completionAt, inserted, jobNames, stageNames } from './completion.ts';

const at = (marked: string) => {
  const position = marked.indexOf('|');
  return { text: marked.replace('|', ''), position };
};
const options = (marked: string): readonly string[] => {
  const { text, position } = at(marked);
  return completionAt(text, position)?.options ?? [];
};

describe('completion of a configuration', () => {
  it.each([
    ['sta|', ['stages']],
    ['build:\n  scr|', ['script']],
    ['build:\n  artifacts:\n    re|', ['reports']],
    ['build:\n  artifacts:\n    reports:\n      ju|', ['junit']],
    ['build:\n  artifacts:\n    paths: [a]\n  ti|', ['timeout']],
    ['default:\n  im|', ['image']],
    ['build:\n  rules:\n    - i|', ['if', 'interruptible']],
    ['build:\n  when: ma|', ['manual']],
    ['build:\n  artifacts:\n    when: on_f|', ['on_failure']],
    ['stages: [make, ship]\nbuild:\n  stage: s|', ['ship']],
    ['stages:\n  - make\n  - "ship it"\nbuild:\n  stage: sh|', ['ship it']],
    ['.base: {}\nbuild:\n  extends: .b|', ['.base']],
    ['one: {}\ntwo:\n  needs: [o|', ['one']],
    ['one: {}\ntwo:\n  needs:\n    - on|', ['one']],
    ['build:\n  # sc|', []],
    ['build:\n  script: make te|', []],
    ['workflow:\n  auto_cancel:\n    on_new_commit: int|', ['interruptible']],
  ])('%j', (marked, expected) => {
    expect(options(marked)).toEqual(expected);
  });

  it('does not offer what stands there already', () => {
    expect(options('build:\n  script|')).toEqual([]);
  });

  it('knows jobs and stages of the text', () => {
    const text = 'stages:\n- a\n\n- b\nvariables: {X: 1}\n"my job":\n  stage: a\n.hidden:\n  x: 1\n';
    expect([jobNames(text), stageNames(text)]).toEqual([
      ['my job', '.hidden'],
      ['.pre', 'a', 'b', '.post'],
    ]);
    expect(stageNames('')).toContain('test');
  });

  it('puts a colon after keys and nothing after values', () => {
    const put = (marked: string, option: string) => {
      const { text, position } = at(marked);
      const found = completionAt(text, position);
      return found && text.slice(0, found.from) + inserted(text, position, found, option) + text.slice(position);
    };
    expect(put('a:\n  scr|', 'script')).toBe('a:\n  script: ');
    expect(put('a:\n  scr|: x', 'script')).toBe('a:\n  script: x');
    expect(put('a:\n  when: ma|\nb: 1', 'manual')).toBe('a:\n  when: manual\nb: 1');
  });
});
