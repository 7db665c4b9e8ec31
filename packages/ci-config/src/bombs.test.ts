/** Inputs that are small to write and large to follow: each ends soon, with a plan or with the limit that stopped it. Slow, sampled: each bomb runs into its limit. */
import { describe, expect, test } from 'vitest';
import { type CaseContext, compileCase, compileText, ENTRY } from '../testdata/harness.ts';
import { formatLocated, type Limits } from './index.ts';

// Of processor time, because the machine does other things too; what it must tell from is minutes.
const SECONDS = 4;
const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const lines = (count: number, line: (index: number) => string): string => range(count).map(line).join('\n');

type Bomb = { name: string; text: string; context?: CaseContext; limit?: keyof Limits; error?: RegExp };

const job = 'job:\n  script: x\n';
const bombs: Bomb[] = [
  {
    name: 'aliases of aliases',
    text: `.a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n${lines(
      30,
      (n) =>
        `.a${n + 1}: &a${n + 1} [${range(9)
          .fill(0)
          .map(() => `*a${n}`)}]`,
    )}\n${job}`,
    limit: 'nodes',
  },
  {
    name: 'more aliases than allowed',
    text: `.a: &a x\n.b: [${range(10_001).map(() => '*a')}]\n${job}`,
    limit: 'aliases',
  },
  {
    name: 'a long text used often',
    text: `.a: &a ${'x'.repeat(100_000)}\n.b: [${range(1_000).map(() => '*a')}]\n${job}`,
    limit: 'expandedBytes',
  },
  {
    name: 'merge keys of a large hash',
    text: `.a: &a\n${lines(5_000, (n) => `  k${n}: v`)}\n${lines(1_000, (n) => `.m${n}: {<<: *a}`)}\n${job}`,
    limit: 'mergedKeys',
  },
  { name: 'deep lists', text: `a: ${'['.repeat(100_000)}`, limit: 'depth' },
  { name: 'deep hashes', text: `a: ${'{a: '.repeat(100_000)}`, limit: 'depth' },
  { name: 'deep dashes', text: `a:\n  ${'- '.repeat(50_000)}x`, limit: 'depth' },
  { name: 'deep indentation', text: lines(1_000, (n) => `${' '.repeat(n)}a:`), limit: 'depth' },
  { name: 'deep explicit keys', text: '? '.repeat(50_000), limit: 'depth' },
  { name: 'a large file', text: `${job}#${'x'.repeat(524_288)}`, limit: 'fileBytes' },
  { name: 'one very long text', text: `job:\n  script: "${'x '.repeat(250_000)}"\n` },
  { name: 'a very long comment', text: `${job}${'# comment\n'.repeat(50_000)}` },
  { name: 'many keys', text: `${job}.many:\n${lines(40_000, (n) => `  k${n}: v`)}` },
  { name: 'many equal keys', text: `${job}.many:\n${'  k: v\n'.repeat(70_000)}` },
  { name: 'many errors', text: lines(30_000, (n) => `j${n}: 1`), error: /should implement the script/ },
  { name: 'broken from the first character', text: '"'.repeat(500_001), error: /invalid YAML/ },
  { name: 'brackets that never match', text: ']}'.repeat(100_000), error: /invalid YAML/ },
  { name: 'many documents', text: '---\na: b\n'.repeat(40_000), error: /one YAML document/ },
  {
    name: 'a matrix of 10^20',
    text: `job:\n  script: x\n  parallel:\n    matrix:\n      - {${range(20).map((n) => `V${n}: [${range(10)}]`)}}\n`,
    limit: 'parallel',
  },
  {
    name: 'a need with a matrix of 10^20',
    text: `${job}b:\n  script: x\n  needs:\n    - job: job\n      parallel: {matrix: [{${range(20).map((n) => `V${n}: [${range(10)}]`)}}]}\n`,
    limit: 'parallel',
  },
  { name: 'a huge parallel', text: 'job:\n  script: x\n  parallel: 99999999999\n', limit: 'parallel' },
  { name: 'many jobs', text: lines(3_000, (n) => `j${n}: {script: x}`), limit: 'jobs' },
  {
    name: 'a large base extended often',
    text: `.base:\n  variables:\n${lines(5_000, (n) => `    K${n}: v`)}\n${lines(1_900, (n) => `j${n}: {extends: .base, script: x}`)}`,
    limit: 'nodes',
  },
  {
    name: 'blocks that never close',
    text: `spec: {inputs: {a: {default: b}}}\n---\n#${'$[['.repeat(150_000)}\n${job}`,
  },
  {
    name: 'blocks over lines',
    text: `spec: {inputs: {a: {default: b}}}\n---\n${'# $[[\n'.repeat(70_000)}${job}# ]]\n`,
  },
  {
    name: 'more blocks than allowed',
    text: `spec: {inputs: {a: {default: b}}}\n---\n${lines(10_001, (n) => `.k${n}: $[[ inputs.a ]]`)}\n${job}`,
    limit: 'interpolations',
  },
  {
    name: 'a large input used often',
    text: `spec: {inputs: {a: {default: ${'x'.repeat(100_000)}}}}\n---\n${lines(1_000, (n) => `.k${n}: <$[[ inputs.a ]]>`)}\n${job}`,
    limit: 'expandedBytes',
  },
  {
    name: 'a large list used often',
    text: `spec: {inputs: {a: {type: array, default: [${'x, '.repeat(20_000)}]}}}\n---\n${lines(100, (n) => `.k${n}: $[[ inputs.a ]]`)}\n${job}`,
    limit: 'nodes',
  },
  {
    name: 'more inputs than allowed',
    text: `spec:\n  inputs:\n${lines(501, (n) => `    i${n}: {default: x}`)}\n---\n${job}`,
    limit: 'inputs',
  },
  {
    name: 'a long chain of rules of inputs',
    text: `spec:\n  inputs:\n${lines(499, (n) => `    i${n}: {rules: [{if: '$[[ inputs.i${n + 1} ]] == "x"', default: x}]}`)}\n    i499: {default: x}\n---\njob: {script: "$[[ inputs.i0 ]]"}\n`,
  },
  {
    name: 'a slow regular expression of an input',
    text: `spec: {inputs: {a: {default: ${'a'.repeat(50_000)}!, regex: '^(a+)+$'}}}\n---\n${job}`,
    error: /does not match required RegEx/,
  },
  {
    name: 'an input that is deep JSON',
    text: `spec: {inputs: {a: {type: array}}}\n---\n${job}`,
    context: { inputs: { a: '['.repeat(5_000) + ']'.repeat(5_000) } },
    limit: 'depth',
  },
  {
    name: 'extends that doubles',
    text: `.e0: {a: b}\n${lines(11, (n) => `.e${n + 1}: {extends: [${range(200).map(() => `.e${n}`)}]}`)}\n${job}`,
  },
  {
    name: 'references that multiply',
    text: `.r0: [x, x]\n${lines(9, (n) => `.r${n + 1}: [${range(20).map(() => `!reference [.r${n}]`)}]`)}\njob:\n  script: !reference [.r9]\n`,
    limit: 'nodes',
  },
  {
    name: 'variables that multiply',
    text: `variables:\n${lines(60, (n) => `  V${n}: $V${n + 1}$V${n + 1}$V${n + 1}`)}\n  V60: xxxxxxxxxx\njob:\n  script: x\n  tags: [$V0]\n`,
    limit: 'variableBytes',
  },
  {
    name: 'empty variables that multiply',
    text: `variables:\n${lines(90, (n) => `  V${n}: $V${n + 1}$V${n + 1}`)}\n  V90: ''\njob:\n  script: x\n  tags: [a$V0]\n`,
  },
  {
    name: 'a long chain of variables',
    text: `variables:\n${lines(10_000, (n) => `  V${n}: $V${n + 1}`)}\njob:\n  script: x\n  tags: [$V0]\n  rules: [{if: $V0 == "a"}, {when: always}]\nworkflow: {rules: [{when: always}]}\n`,
  },
  {
    name: 'a large variable in many jobs',
    text: `variables: {BIG: ${'x'.repeat(60_000)}}\n${lines(1_900, (n) => `j${n}: {script: x, tags: [$BIG]}`)}`,
    limit: 'planBytes',
  },
  {
    name: 'many variables in many jobs',
    text: `variables:\n${lines(5_000, (n) => `  V${n}: value`)}\n${lines(1_900, (n) => `j${n}: {script: x}`)}`,
    limit: 'planBytes',
  },
  {
    name: 'a slow regular expression',
    text: `variables: {A: ${'a'.repeat(50_000)}!}\njob:\n  script: x\n  rules:\n    - if: $A =~ /^(a+)+$/\n    - if: $A =~ /(.*)*(.*)*x(a|aa)+$/\n    - when: always\nworkflow: {rules: [{when: always}]}\n`,
  },
  {
    name: 'a regular expression that counts to a million',
    text: 'job:\n  script: x\n  rules:\n    - if: $A =~ /((a{1000}){1000}){1000}/\n',
    error: /invalid expression syntax/,
  },
  {
    name: 'parentheses without end',
    text: `job:\n  script: x\n  rules:\n    - if: '${'('.repeat(9_000)}'\n`,
    error: /expressionTokens/,
  },
  {
    name: 'a very long expression',
    text: `job:\n  script: x\n  rules:\n    - if: $A ${'&& $A '.repeat(50_000)}\n`,
    error: /expressionLength/,
  },
  {
    name: 'globs that multiply',
    text: `job:\n  script: x\n  rules:\n    - exists: ["${'{a,b}'.repeat(40)}", "${'*a'.repeat(100)}b", "${'**/'.repeat(200)}x"]\n    - when: always\nworkflow: {rules: [{when: always}]}\n`,
    context: { paths: range(2_000).map((n) => `${'a'.repeat(200)}/${'a/'.repeat(20)}${n}`) },
  },
  {
    name: 'many globs over many paths',
    text: lines(500, (n) => `j${n}: {script: x, rules: [{exists: ["*/${n}/**/*.none"]}]}`),
    context: { paths: range(50_000).map((n) => `src/${n % 100}/deep/file${n}.ts`) },
  },
  {
    name: 'needs of everything',
    text: lines(1_500, (n) => `j${n}: {script: x, needs: [${range(Math.min(n, 50)).map((m) => `j${n - m - 1}`)}]}`),
  },
  {
    name: 'parallel jobs that need parallel jobs',
    text: `a: {script: x, parallel: 200}\n${lines(8, (n) => `b${n}: {script: x, parallel: 200, needs: [a]}`)}`,
  },
  {
    name: 'needs of parallel jobs, over and over',
    text: `${lines(9, (n) => `a${n}: {stage: build, script: x, parallel: 200}`)}\nb: {script: x, parallel: 200, needs: [${range(9).map((n) => `a${n}`)}]}`,
  },
  {
    name: 'a name that is a prototype',
    text: '__proto__:\n  script: x\n  variables: {__proto__: a, constructor: b}\n',
  },
];

describe('security 11: bombs', () => {
  test.each(bombs)('security 11: $name', async ({ text, context, limit, error }) => {
    const started = cpuSeconds();
    const result = await compileText(text, context);
    result.mergedYaml?.();
    expect(cpuSeconds() - started).toBeLessThan(SECONDS);
    const errors = result.ok ? [] : result.errors;
    if (limit) {
      const found = errors.find((each) => each.limit?.name === limit);
      expect(found, errors.map(formatLocated).join('\n')).toBeDefined();
      expect(found?.message).toContain(`${found?.limit?.value}`);
      expect(found?.limit?.used).toBeGreaterThan(found?.limit?.value ?? Number.POSITIVE_INFINITY);
    } else if (error) expect(errors.map(formatLocated).join('\n')).toMatch(error);
    else expect(errors.map(formatLocated)).toEqual([]);
  });

  test('security 11: includes that multiply', async () => {
    const files = new Map(range(50).map((n) => [`${n}.yml`, `include: [${n + 1}.yml, ${n + 1}.yml]\n`]));
    files.set('50.yml', '.x: {}\n').set(ENTRY, `include: 0.yml\n${job}`);
    const started = cpuSeconds();
    const result = await compileCase(files);
    expect(cpuSeconds() - started).toBeLessThan(SECONDS);
    expect(result.ok ? undefined : result.errors[0]?.limit).toEqual({ name: 'includes', value: 150, used: 151 });
  });

  test('security 11: lists that double with every file', async () => {
    const files = new Map(
      range(60).map((n) => [
        `${n}.yml`,
        `spec: {inputs: {a: {type: array}}}\n---\ninclude: [{local: ${n + 1}.yml, inputs: {a: [$[[ inputs.a ]], $[[ inputs.a ]]]}}]\n`,
      ]),
    );
    files.set('60.yml', '.x: {}\n').set(ENTRY, `include: [{local: 0.yml, inputs: {a: [x]}}]\n${job}`);
    const started = cpuSeconds();
    const result = await compileCase(files);
    expect(cpuSeconds() - started).toBeLessThan(SECONDS);
    expect(result.ok ? undefined : result.errors[0]?.limit?.name).toBe('nodes');
  });

  test('security 11: a large file with inputs that is included often', async () => {
    const body = lines(9_000, (n) => `.k${n}: {v: $[[ inputs.a ]]}`);
    const files = new Map([['big.yml', `spec: {inputs: {a: }}\n---\n${body}\n`]]);
    files.set(ENTRY, `include:\n${lines(149, (n) => `  - {local: big.yml, inputs: {a: x${n}}}`)}\n${job}`);
    const started = cpuSeconds();
    const result = await compileCase(files);
    expect(cpuSeconds() - started).toBeLessThan(SECONDS);
    expect(result.ok ? undefined : result.errors[0]?.limit?.name).toBe('mergedKeys');
  });

  test('security 11: files that are large together', async () => {
    const files = new Map(range(6).map((n) => [`ci/${n}.yml`, `.x${n}: {}\n#${'x'.repeat(500_000)}\n`]));
    files.set(ENTRY, `include: [ci/*.yml]\n${job}`);
    const result = await compileCase(files);
    expect(result.ok ? undefined : result.errors[0]?.limit?.name).toBe('totalBytes');
  });
});
