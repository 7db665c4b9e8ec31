/** The parts that others use directly: durations, expansion, formatting, cancellation, and what a result promises. */
import { describe, expect, test } from 'vitest';
import { compileCase, compileText, ENTRY, inputOf } from '../testdata/harness.ts';
import { compile, expandVariables, formatLocated, parseDuration } from './index.ts';

describe('parseDuration', () => {
  test.each([
    ['0', 0],
    ['42', 42],
    ['42 seconds', 42],
    ['3 mins 4 sec', 184],
    ['2 hrs 20 min', 8_400],
    ['2h20min', 8_400],
    ['6 mos 1 day', 15_638_400],
    ['1 week', 604_800],
    ['3 weeks and 2 days', 1_987_200],
    ['one hour', 3_600],
    ['an hour, 1.5 minutes', 3_690],
    ['1:30', 90],
    ['1:20:51', 4_851],
    ['1 YEAR', 31_557_600],
    ['', null],
    ['soon', null],
    ['1 fortnight', null],
    ['hour', null],
    ['1 2 hours', null],
    ['1 hour 5', null],
    ['-1 day', null],
    ['and', null],
    ['9'.repeat(30), null],
    ['1 day '.repeat(1_000), null],
  ])('%s is %s', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });
});

describe('expandVariables', () => {
  const variables = [
    { key: 'A', value: 'first' },
    { key: 'A', value: 'a' },
    { key: 'B', value: '[$A]' },
    { key: 'OWN', value: '$OWN:own' },
    { key: 'OWN', value: '$B' },
    { key: 'ALONE', value: '<$ALONE>' },
    { key: 'ESCAPED', value: `$$A %%A%% $\{}` },
    { key: 'RAW', value: '$A', raw: true },
  ];
  test.each([
    [`$A$\{A}$AB`, 'aa'],
    ['$B', '[a]'],
    ['$$A $$$A %%A%%', '$a $$a %a%'],
    ['$ESCAPED', `$$A %%A%% $\{}`],
    ['${A', '${A'],
    [`$ $1 $\{}`, `$ $1 $\{}`],
    ['$RAW', '$A'],
    ['$OWN', '[a]:own'],
    ['$ALONE', '<>'],
    ['-$NONE-', '--'],
  ])('%s becomes %s', (text, expected) => {
    expect(expandVariables(text, variables)).toBe(expected);
  });

  test('nothing is expanded where variables refer to each other in a circle', () => {
    const circle = [...variables, { key: 'LOOP1', value: '<$LOOP2' }, { key: 'LOOP2', value: '>$LOOP1' }];
    expect(expandVariables('$LOOP1 $A $B', circle)).toBe('<$LOOP2 a [$A]');
  });

  test('keeps unknown names when asked', () => {
    expect(expandVariables(`-$NONE-$\{NONE}-$A`, variables, 'keep')).toBe(`-$NONE-$\{NONE}-a`);
  });
});

describe('compile', () => {
  test('a message names file, line, column and reason', async () => {
    const result = await compileText('test:\n  script: x\n  foo: 1\n');
    expect(result.ok ? [] : result.errors.map(formatLocated)).toEqual([
      '.gitlab-ci.yml:3:3: jobs:test config contains unknown keys: foo',
    ]);
  });

  test('the plan is frozen JSON', async () => {
    const result = await compileText('test:\n  script: [x]\n  retry: 1\n  artifacts: {paths: [a]}\n');
    if (!result.ok) throw new Error('does not compile');
    expect(JSON.parse(JSON.stringify(result.plan))).toEqual(result.plan);
    const job = result.plan.jobs[0]!;
    expect(() => (job.script as string[]).push('more')).toThrow(TypeError);
    expect(() => Object.assign(job.artifacts!, { name: 'x' })).toThrow(TypeError);
  });

  test('an aborted signal rejects, before and between files', async () => {
    const files = new Map([
      [ENTRY, 'include: [a.yml, b.yml]\n'],
      ['a.yml', 'a: {script: x}\n'],
      ['b.yml', 'b: {script: x}\n'],
    ]);
    const input = inputOf(files);
    await expect(compile({ ...input, signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
    const controller = new AbortController();
    const fetched: string[] = [];
    const fetch: typeof input.fetch = (path, source) => {
      fetched.push(path);
      controller.abort();
      return input.fetch(path, source);
    };
    await expect(compile({ ...input, fetch, signal: controller.signal })).rejects.toThrow(/abort/i);
    expect(fetched).toEqual(['a.yml']);
  });

  test('an error of the fetcher is not taken for one of the configuration', async () => {
    const input = inputOf(new Map([[ENTRY, 'include: a.yml\n']]));
    await expect(compile({ ...input, fetch: () => Promise.reject(new Error('storage is gone')) })).rejects.toThrow(
      'storage is gone',
    );
  });

  test('changed paths and files are asked for once, and only when a rule needs them', async () => {
    const asked: string[] = [];
    const input = inputOf(new Map([[ENTRY, '']]));
    const context: typeof input.context = {
      ...input.context,
      changedPaths: (compareTo) => {
        asked.push(`changes ${compareTo ?? ''}`);
        return Promise.resolve(['src/a']);
      },
      listPaths: () => {
        asked.push('paths');
        return Promise.resolve(['src/a']);
      },
    };
    await compile({ ...input, context, content: 'a: {script: x}\n' });
    expect(asked).toEqual([]);
    const rules = '[{changes: [b], exists: [a]}, {changes: [src/*]}]';
    const content = `a: {script: x, rules: ${rules}}\nb: {script: x, rules: ${rules}}\nc: {script: x, rules: [{exists: [src/*]}]}\n`;
    const result = await compile({ ...input, context, content });
    expect(result.ok).toBe(true);
    expect(asked).toEqual(['changes ', 'paths']);
  });

  test('a limit that is exceeded is named with its value and what was used', async () => {
    const result = await compileText('test:\n  script: x\n', { limits: { fileBytes: 10 } });
    expect(result.ok ? null : result.errors[0]).toEqual({
      file: ENTRY,
      line: 1,
      column: 1,
      message: 'too many bytes in one file: 18, and the limit fileBytes is 10',
      limit: { name: 'fileBytes', value: 10, used: 18 },
    });
  });

  test('the merged configuration is there for wrong ones too, once the files are read', async () => {
    const files = new Map([
      [ENTRY, 'include: a.yml\ntest:\n  extends: .a\n  foo: 1\n'],
      ['a.yml', '.a:\n  script: x\n'],
    ]);
    const result = await compileCase(files);
    expect(result.ok).toBe(false);
    expect(result.mergedYaml?.()).toBe('.a:\n  script: x\ntest:\n  script: x\n  extends: .a\n  foo: 1\n');
    expect((await compileText('a: [')).mergedYaml).toBeNull();
  });
});

describe('inputs', () => {
  const inputsOf = async (text: string, inputs: Record<string, unknown> = {}) =>
    (await compile(inputOf(new Map([[ENTRY, text]]), { inputs }))).inputs();

  const text = `spec:
  inputs:
    cloud: {options: [aws, gcp], default: aws, description: Where}
    size:
      rules:
        - {if: '$[[ inputs.cloud ]] == "aws"', options: [xl, s], default: xl}
        - {if: '$[[ inputs.cloud ]] == "gcp"', options: [e2]}
    count: {type: number}
    list: {type: array, default: [{a: 1}]}
    tag: {regex: ^v, default: v1}
---
job: {script: x}
`;
  const plain = { description: null, required: false, default: null, options: null, regex: null };

  test('tells what is declared, options and defaults beside the values that are given', async () => {
    const size = { ...plain, name: 'size', type: 'string' };
    expect(await inputsOf(text)).toEqual([
      { ...plain, name: 'cloud', type: 'string', description: 'Where', default: 'aws', options: ['aws', 'gcp'] },
      { ...size, default: 'xl', options: ['xl', 's'] },
      { ...plain, name: 'count', type: 'number', required: true },
      { ...plain, name: 'list', type: 'array', default: [{ a: 1 }] },
      { ...plain, name: 'tag', type: 'string', default: 'v1', regex: '^v' },
    ]);
    const other = await inputsOf(text, { cloud: 'gcp', count: 'wrong' });
    expect(other[1]).toEqual({ ...size, required: true, options: ['e2'] });
  });

  test('without a header there are none; a header that is wrong declares none', async () => {
    expect(await inputsOf('job: {script: x}')).toEqual([]);
    expect(await inputsOf('spec: {more: 1}\n---\nx: y\n')).toEqual([]);
  });
});
