/** `rules:if`: grammar, truth tables and properties over random expressions. */
import { describe, expect, test } from 'vitest';
import { type Random, randomFrom } from '../../testdata/random.ts';
import { DEFAULT_LIMITS, ExpressionError, evaluateExpression } from '../index.ts';

const VALUES: Record<string, string> = {
  A: 'a',
  B: 'b',
  EMPTY: '',
  BLANK: ' ',
  BRANCH: 'feature/login-1.2',
  RE: '/^fea/',
  BAD: '/(/',
  DEEP: 'x$A',
};
const variables = Object.entries(VALUES).map(([key, value]) => ({ key, value }));
const truth = (text: string): boolean => evaluateExpression(text, variables);

describe('rules:if', () => {
  test.each([
    ['$A', true],
    ['$EMPTY', false],
    ['$BLANK', false],
    ['$NONE', false],
    ['null', false],
    ['"text"', true],
    ['""', false],
    ['$A == "a"', true],
    ["$A == 'a'", true],
    ['$A == "A"', false],
    ['$A != "b"', true],
    ['$NONE == null', true],
    ['$NONE != null', false],
    ['$EMPTY == null', false],
    ['$EMPTY == ""', true],
    ['$NONE == ""', false],
    ['null == null', true],
    ['$A == $A', true],
    ['$DEEP == "x$A"', true],
    ['$DEEP == "xa"', false],
    ['"$A" == $A', false],
    ['$BRANCH =~ /^feature\\//', true],
    ['$BRANCH =~ /LOGIN/', false],
    ['$BRANCH =~ /LOGIN/i', true],
    ['$BRANCH =~ /^\\w+\\/[a-z]+-\\d\\.\\d$/', true],
    ['$BRANCH !~ /^feature/', false],
    ['$BRANCH !~ /^main/', true],
    ['$BRANCH =~ $RE', true],
    ['$BRANCH =~ $A', false],
    ['$BRANCH =~ $BAD', false],
    ['$BRANCH !~ $BAD', true],
    ['$NONE =~ /x/', false],
    ['$NONE !~ /x/', true],
    ['$NONE =~ /^$/', true],
    ['"a\nb" =~ /^b$/', false],
    ['"a\nb" =~ /^b$/m', true],
    ['"a\nb" =~ /a.b/s', true],
    ['$A && $B', true],
    ['$A && $NONE', false],
    ['$NONE || $B', true],
    ['$A || $B && $NONE', true],
    ['($A || $B) && $NONE', false],
    ['$NONE && $NONE || $A', true],
    ['$A == "a" && $B == "b" || $NONE', true],
    ['$A == "b" || $B == "b"', true],
    ['$EMPTY && $A', true],
    ['$A && $EMPTY', false],
    ['$EMPTY || $A', false],
    ['$EMPTY == "" || $A', true],
    ['$NONE && $A', false],
    ['$A && null || $EMPTY == ""', true],
    ['($A) && (null || $EMPTY == "")', true],
    ['("string" || "test") == "string"', true],
    ['"string" == ("test" && "string")', true],
    ['"string" == ("test" || "string")', false],
    ['("string" == "test" || "string")', true],
    ['$A == "a" == $B', false],
    ['$BRANCH =~ $BRANCH', true],
    ['$A =~ "bad"', true],
    ['"bad" =~ $A', false],
    ['$A !~ "bad"', false],
    ['$NONE =~ "x"', true],
    ['$A =~ null', false],
    ['$A !~ null', true],
    ['  ( (  $A==\n"a" )) ', true],
    ['$A=="a"&&$B=="b"', true],
    ['!$A', false],
    ['!$NONE', true],
    ['! $EMPTY', true],
    ['!$BLANK', true],
    ['!!$A', true],
    ['!($A && $NONE)', true],
    ['!$A == "a"', false],
    ['!($A == "a")', false],
    ['!$NONE && !$A || $B', true],
    ['$A && !$NONE', true],
    ['!$A || $B !~ /b/', false],
    ['true', true],
    ['false', false],
    ['!false', true],
    ['"true" == true', false],
    ['!$NONE == true', true],
  ])('%s is %s', (text, expected) => {
    expect(truth(text)).toBe(expected);
  });

  test.each([
    ['', 1],
    ['$', 1],
    ['$A ==', 6],
    ['== $A', 1],
    ['$A $B', 4],
    ['($A', 1],
    ['$A)', 3],
    ['()', 2],
    ['$A = "a"', 4],
    ['$A & $B', 4],
    ['a', 1],
    ['truth', 1],
    ['"open', 1],
    ['$A =~ /open', 7],
    ['$A =~ /(?=ahead)/', 7],
    ['$A =~ /(a)\\1/', 7],
    ['!', 2],
    ['$A ! $B', 4],
    ['!== $A', 3],
    ['$A == ! && $B', 9],
  ])('%s is refused at character %i', (text, character) => {
    expect(() => truth(text)).toThrow(ExpressionError);
    expect(() => truth(text)).toThrow(new RegExp(`character ${character}$`));
  });

  test('too many tokens name the limit', () => {
    const text = Array.from({ length: DEFAULT_LIMITS.expressionTokens }, () => '$A').join(' && ');
    expect(() => truth(text)).toThrow(/expressionTokens is 200/);
  });
});

type Sample = { text: string; value: boolean };

/** An expression with the value that it must have, built together. */
function sample(random: Random, depth: number): Sample {
  if (depth === 0 || random.chance(0.25)) return leaf(random);
  const left = sample(random, depth - 1);
  const right = sample(random, depth - 1);
  const space = random.pick(['', ' ', '  ']);
  if (random.chance(0.5))
    return { text: `(${left.text})${space}&&${space}(${right.text})`, value: left.value && right.value };
  return { text: `(${left.text})${space}||${space}(${right.text})`, value: left.value || right.value };
}

function leaf(random: Random): Sample {
  const name = random.pick(Object.keys(VALUES).concat('NONE'));
  const value = VALUES[name];
  const literal = random.pick(['a', 'b', '', 'zzz']);
  // Blank text chooses otherwise than it counts in the end: the table above has it.
  const bare = random.pick(['A', 'B', 'BRANCH', 'RE', 'DEEP', 'NONE']);
  return random.pick<Sample>([
    { text: `$${bare}`, value: bare !== 'NONE' },
    { text: `$${name} == null`, value: value === undefined },
    { text: `$${name} == "${literal}"`, value: value === literal },
    { text: `'${literal}' != $${name}`, value: value !== literal },
    { text: `$${name} =~ /[a-b]$/`, value: /[a-b]$/.test(value ?? '') },
    { text: `$${name} !~ /^X/i`, value: !/^X/i.test(value ?? '') },
  ]);
}

describe('rules:if over random expressions', () => {
  test('is what conjunction, disjunction and comparison say', () => {
    const random = randomFrom(7);
    for (let round = 0; round < 2_000; round++) {
      const { text, value } = sample(random, 4);
      expect(truth(text), text).toBe(value);
    }
  });

  test('&& and || are commutative in truth, parentheses around all change nothing, De Morgan holds for comparisons', () => {
    const random = randomFrom(8);
    for (let round = 0; round < 500; round++) {
      const [left, right] = [sample(random, 2), sample(random, 2)];
      expect(truth(`(${left.text}) && (${right.text})`)).toBe(truth(`(${right.text}) && (${left.text})`));
      expect(truth(`(${left.text}) || (${right.text})`)).toBe(truth(`(${right.text}) || (${left.text})`));
      expect(truth(`((${left.text}))`)).toBe(truth(left.text));
      const [a, b] = [random.pick(['$A', '$NONE', '"a"']), random.pick(['$B', '$A', 'null'])];
      expect(truth(`${a} == ${b} || $A == $B`)).toBe(!truth(`${a} != ${b} && $A != $B`));
    }
  });

  test('without parentheses && binds closer than ||', () => {
    const random = randomFrom(9);
    for (let round = 0; round < 500; round++) {
      const [x, y, z] = [leaf(random), leaf(random), leaf(random)];
      expect(truth(`${x.text} || ${y.text} && ${z.text}`)).toBe(x.value || (y.value && z.value));
      expect(truth(`${x.text} && ${y.text} || ${z.text}`)).toBe((x.value && y.value) || z.value);
    }
  });

  test('text of any kind is true, false or refused', () => {
    const random = randomFrom(10);
    const pieces = [
      '$A',
      '"',
      "'",
      '/',
      '\\',
      '(',
      ')',
      '==',
      '=~',
      '!~',
      '!=',
      '!',
      'true',
      '&&',
      '||',
      'null',
      ' ',
      '[',
      '*',
      'i',
      '$',
      '{',
      '\n',
    ];
    let refused = 0;
    for (let round = 0; round < 3_000; round++) {
      const text = Array.from({ length: random.below(12) }, () => random.pick(pieces)).join('');
      try {
        expect(typeof truth(text)).toBe('boolean');
      } catch (error) {
        expect(error).toBeInstanceOf(ExpressionError);
        refused++;
      }
    }
    expect(refused).toBeLessThan(3_000);
  });
});
