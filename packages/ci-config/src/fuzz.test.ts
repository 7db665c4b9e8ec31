/** Whatever the text is, compilation ends soon with a result, and each message has a place in a file. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { casesRoot, compileCase, compileText, ENTRY } from '../testdata/harness.ts';
import { type Random, randomFrom } from '../testdata/random.ts';
import type { CompileResult, Plan } from './index.ts';

const texts = readdirSync(casesRoot, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort()
  .map((name) => readFileSync(join(casesRoot, name, ENTRY), 'utf8'));
const FRAGMENTS = [
  ...[
    '*x',
    '&x ',
    '<<: *x',
    '!reference [a, script]',
    '!!binary x',
    '? ',
    '- ',
    ': ',
    '|\n',
    '>-\n',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '#',
    '\t',
    '\0',
    '\u2028',
    '\ufeff',
    '\r\n',
    '~',
    'null',
    '$A',
    '$$',
    '${',
    '/(/',
    '=~',
    '&&',
  ],
  ...[
    '.inf',
    '0x',
    '1e999',
    '-',
    'extends: test\n',
    'needs: [test]\n',
    'rules:\n',
    'parallel: 7\n',
    'include: x.yml\n',
    'spec: {inputs: {a: {default: b}}}\n---\n',
    '$[[ inputs.a ]]',
    '$[[ inputs.a | truncate(0, 1) ]]',
    '$[[',
    ']]',
    '\n  ',
    '\ud800',
  ],
];

/** A few edits: pieces cut out, doubled, moved, swapped with other configurations, joined by bits of YAML. */
function mutate(text: string, random: Random): string {
  let result = text;
  for (let edits = 1 + random.below(3); edits > 0; edits--) {
    const at = random.below(result.length + 1);
    const length = random.below(40);
    const cut = result.slice(at, at + length);
    const before = result.slice(0, at);
    const after = result.slice(at + length);
    switch (random.below(6)) {
      case 0:
        result = before + after;
        break;
      case 1:
        result = before + cut + cut + after;
        break;
      case 2:
        result = before + random.pick(FRAGMENTS) + cut + after;
        break;
      case 3: {
        const other = random.pick(texts);
        const from = random.below(other.length);
        result = before + other.slice(from, from + random.below(200)) + after;
        break;
      }
      case 4:
        result = before + String.fromCharCode(random.below(0x250)) + after;
        break;
      default:
        result = after + before;
    }
  }
  return result;
}

function check(result: CompileResult): void {
  const messages = [...result.warnings, ...(result.ok ? [] : result.errors)];
  for (const { file, line, column, message } of messages) {
    expect(file).not.toBe('');
    // Line and column 0: the configuration as a whole.
    if (line === 0) expect(column).toBe(0);
    else expect(Math.min(line, column)).toBeGreaterThanOrEqual(1);
    expect(message).not.toBe('');
    expect(message).not.toMatch(/\bundefined\b(?! need: | dependency: | inputs: )|\[object|NaN/);
  }
  if (!result.ok) expect(result.errors.length).toBeGreaterThan(0);
}

describe('random configurations', () => {
  test.each([1, 2, 3, 4, 5])('mutations of the cases always give a result (seed %i)', async (seed) => {
    const random = randomFrom(seed);
    let compiled = 0;
    for (let round = 0; round < 500; round++) {
      const text = mutate(random.pick(texts), random);
      const result = await compileText(text);
      check(result);
      if (result.ok) compiled++;
    }
    // Edits that always break the syntax would test the first line only.
    expect(compiled).toBeGreaterThan(3);
  });

  test('characters without sense always give a result', async () => {
    const random = randomFrom(99);
    for (let round = 0; round < 400; round++) {
      const text = Array.from({ length: random.below(120) }, () => random.pick(FRAGMENTS)).join('');
      check(await compileText(text));
    }
  });
});

describe('the merged configuration', () => {
  const folders = readdirSync(casesRoot, { withFileTypes: true }).filter((entry) => entry.isDirectory());

  test('compiles to the same plan as the files that it comes from', async () => {
    let compared = 0;
    for (const { name } of folders) {
      const folder = join(casesRoot, name);
      const files = new Map(
        readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && entry.name.endsWith('.yml'))
          .map((entry) => join(entry.parentPath, entry.name))
          .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
      );
      const first = await compileCase(files);
      if (!first.ok) continue;
      const again = await compileText(first.mergedYaml?.() ?? '', { paths: [...files.keys()] });
      const plan: Plan | null = again.ok ? again.plan : null;
      expect(plan, name).toEqual(first.plan);
      compared++;
    }
    expect(compared).toBeGreaterThan(30);
  });
});
