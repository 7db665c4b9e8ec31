/** Expressions of job inputs: the language, case by case. */
import { describe, expect, test } from 'vitest';
import { resolveJob } from '../inputs.ts';
import type { JobPayload } from '../protocol.ts';

const values = {
  environment: 'production',
  replicas: 3,
  verbose: true,
  quiet: false,
  list: ['a', 1, { k: 'v' }],
  empty: '',
  'with-dash': 'd',
};

/** Cases write `%` for the sign in front of expressions, which is that of templates of ours, too. */
const real = (text: string) => text.replaceAll('%{', () => '$\x7b');

/** What a line of a script becomes. */
function line(text: string): string {
  const inputs = Object.entries(values).map(([key, content]) => ({ key, value: { type: 'string', content } }));
  const steps = [{ name: 'script', script: [real(text)], when: 'on_success' }];
  return resolveJob({ steps, inputs } as unknown as JobPayload).steps?.[0]?.script[0] ?? '';
}
const value = (expression: string) => line(`%{{ ${expression} }}`);

describe('values', () => {
  test.each([
    ['job.inputs.environment', 'production'],
    ['job.inputs.with-dash', 'd'],
    ['job.inputs["with-dash"] + \'!\'', 'd!'],
    ['job.inputs.list', '["a",1,{"k":"v"}]'],
    ['job.inputs.list[2].k', 'v'],
    ['job.inputs.environment == "production" && "stable" || "latest"', 'stable'],
    ['job.inputs.quiet && "-q" || ""', ''],
    ['job.inputs.empty || "default"', 'default'],
    ['!job.inputs.empty', 'true'],
    ['str(job.inputs.replicas) + " pods"', '3 pods'],
    ['1 + 2 * 3 - -4', '11'],
    ['(1 + 2) * 3', '9'],
    ['10 / 4', '2.5'],
    ['-7 % 3', '-1'],
    ['1.5e3', '1500'],
    ['10 - 4 - 3', '3'],
    ['1 == "1"', 'false'],
    ['"a" < "b" && [1, 2] < [1, 3] && false < true', 'true'],
    ['{a: 1, b: [2]} == {b: [2,], a: 1,}', 'true'],
    ['{a: 1} < {a: 1, b: 1}', 'true'],
    ['{("k" + "ey"): {a: 1}}', '{"key":{"a":1}}'],
    ['null', '<null>'],
    ['str(null) + str(true)', '<null>true'],
    ['num("42") + 1', '43'],
    ['bool([]) || bool({a: 1})', 'true'],
    ['"a\\tb\\u0041\\"" + \'it\\\'s \\\\ raw %{{ 1 }}\'', 'a\tbA"it\'s \\ raw %{{ 1 }}'],
    ['"x %{{ job.inputs.replicas + 1 }} y \\%{{"', 'x 4 y %{{'],
    ['false && nothing.there', 'false'],
  ])('%s', (expression, expected) => {
    expect(value(expression)).toBe(real(expected));
  });
});

test('several in one text, escaped ones, and braces that close right behind', () => {
  expect(line('a %{{job.inputs.replicas}}%{{ {a: {}}}} \\%{{ x }} %{A}')).toBe(real('a 3{"a":{}} %{{ x }} %{A}'));
});

describe('what is wrong', () => {
  test.each([
    ['job.inputs.other', 'there is no other'],
    ['other', 'there is no other'],
    ['job.inputs.constructor', 'there is no constructor'],
    ['"a" + 1', '`+` takes no string and number'],
    ['1 / 0', 'division by zero'],
    ['1 < "1"', 'number and string have no order'],
    ['eval("1")', 'there is no function eval'],
    ['toString("1")', 'there is no function toString'],
    ['for', '`for` is a reserved word'],
    ['[1][1]', 'the array has no item 1'],
    ['num("4x")', '4x is not a number'],
    ['1 +', 'unexpected `}}`'],
    ['1 2', 'expected `}}`'],
    ['"open', 'a text has no end'],
    ['"\\q"', 'a text has an unknown escape'],
    ['1 ; 2', 'unexpected `;`'],
    ['{1: 2}', 'the key of an object is a string'],
    ['('.repeat(60), 'it is nested too deeply'],
    ['!'.repeat(60), 'it is nested too deeply'],
    ['"%{{ '.repeat(60), 'it is nested too deeply'],
    [`1${'+1'.repeat(2000)}`, 'it is too long'],
  ])('%s', (expression, reason) => {
    expect(() => value(expression)).toThrow(`: ${reason}`);
  });
});
