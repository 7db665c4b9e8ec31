/** Expressions in `${{ }}`: read to functions that give their values, so that what is not asked for is not evaluated. */
import { type Token, tokenAt } from './lexer.ts';
import { compared, ExpressionError, isEqual, isList, isTrue, kindOf, textOf, type Value } from './values.ts';

export type Evaluate = (context: Readonly<Record<string, Value>>) => Value;

const DEEPEST = 50;
/** Words of one expression. */
const MOST_WORDS = 2000;
const RESERVED = new Set(
  `array as break case const continue default else fallthrough float for func function goto if import in int let loop map
  namespace number object package range return string struct switch type var void while`.split(/\s+/),
);
const LITERALS = new Map<string, Value>([
  ['null', null],
  ['true', true],
  ['false', false],
]);
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ '\\': '\\', '"': '"', '/': '/', n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b', f: '\f', v: '\v' },
};

function numberOf(value: Value): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value)) return Number(value);
  throw new ExpressionError(`${textOf(value)} is not a number`);
}
const FUNCTIONS: Readonly<Record<string, (value: Value) => Value>> = { str: textOf, num: numberOf, bool: isTrue };

function arithmetic(sign: string, a: Value, b: Value): Value {
  if (sign === '+' && typeof a === 'string' && typeof b === 'string') return a + b;
  if (typeof a !== 'number' || typeof b !== 'number')
    throw new ExpressionError(`\`${sign}\` takes no ${kindOf(a)} and ${kindOf(b)}`);
  if (b === 0 && (sign === '/' || sign === '%')) throw new ExpressionError('division by zero');
  return { '+': a + b, '-': a - b, '*': a * b, '/': a / b, '%': a % b }[sign] as number;
}

/** Operators by what binds loosest; each takes the values that it needs. */
const LEVELS: ReadonlyArray<Readonly<Record<string, (a: () => Value, b: () => Value) => Value>>> = [
  { '||': (a, b) => ((value) => (isTrue(value) ? value : b()))(a()) },
  { '&&': (a, b) => ((value) => (isTrue(value) ? b() : value))(a()) },
  {
    '==': (a, b) => isEqual(a(), b()),
    '!=': (a, b) => !isEqual(a(), b()),
    '<': (a, b) => compared(a(), b()) < 0,
    '<=': (a, b) => compared(a(), b()) <= 0,
    '>': (a, b) => compared(a(), b()) > 0,
    '>=': (a, b) => compared(a(), b()) >= 0,
  },
  { '+': (a, b) => arithmetic('+', a(), b()), '-': (a, b) => arithmetic('-', a(), b()) },
  {
    '*': (a, b) => arithmetic('*', a(), b()),
    '/': (a, b) => arithmetic('/', a(), b()),
    '%': (a, b) => arithmetic('%', a(), b()),
  },
];

function item(of: Value, key: Value): Value {
  if (isList(of)) {
    const found = typeof key === 'number' ? of[key] : undefined;
    if (found === undefined) throw new ExpressionError(`the array has no item ${textOf(key)}`);
    return found;
  }
  if (typeof of !== 'object' || of === null || typeof key !== 'string')
    throw new ExpressionError(`a ${kindOf(of)} has no ${textOf(key)}`);
  if (!Object.hasOwn(of, key)) throw new ExpressionError(`there is no ${key}`);
  return (of as Readonly<Record<string, Value>>)[key] as Value;
}

/** Reads the expression that begins at a place, and says where it ends; the closing braces are the caller's. */
function parseExpression(text: string, place: number, depth = 0): { evaluate: Evaluate; end: number } {
  let token: Token = tokenAt(text, place);
  let level = depth;
  let words = 0;
  let end = place;
  const next = (): void => {
    words += 1;
    if (words > MOST_WORDS) throw new ExpressionError('it is too long');
    end = token.end;
    token = tokenAt(text, end);
  };
  const shown = (): string => (token.kind === 'number' ? String(token.value) : token.text || 'end');
  const isSign = (sign: string) => token.kind === 'sign' && token.text === sign;
  /** Two objects may end where an expression does, too. */
  const isClosing = (sign: string) => isSign(sign) || (sign === '}' && isSign('}}'));
  const take = (sign: string): void => {
    if (!isClosing(sign)) throw new ExpressionError(`expected \`${sign}\`, not \`${shown()}\``);
    if (isSign(sign)) next();
    else {
      end = token.end - 1;
      token = tokenAt(text, end);
    }
  };
  const nested = <T>(read: () => T): T => {
    level += 1;
    if (level > DEEPEST) throw new ExpressionError('it is nested too deeply');
    const result = read();
    level -= 1;
    return result;
  };

  function binary(at: number): Evaluate {
    const operators = LEVELS[at];
    if (!operators) return unary();
    let left = binary(at + 1);
    while (token.kind === 'sign' && Object.hasOwn(operators, token.text)) {
      const apply = operators[token.text]!;
      next();
      const [a, b] = [left, binary(at + 1)];
      left = (context) =>
        apply(
          () => a(context),
          () => b(context),
        );
    }
    return left;
  }

  function unary(): Evaluate {
    if (token.kind !== 'sign' || !['+', '-', '!'].includes(token.text)) return postfix(primary());
    const sign = token.text;
    next();
    const of = nested(unary);
    if (sign === '!') return (context) => !isTrue(of(context));
    return (context) => arithmetic(sign, 0, of(context));
  }

  function postfix(first: Evaluate): Evaluate {
    let of = first;
    for (;;) {
      const before = of;
      if (isSign('.')) {
        next();
        const key = name();
        of = (context) => item(before(context), key);
      } else if (isSign('[')) {
        next();
        const key = nested(() => binary(0));
        take(']');
        of = (context) => item(before(context), key(context));
      } else return of;
    }
  }

  function name(): string {
    if (token.kind !== 'name') throw new ExpressionError(`expected a name, not \`${shown()}\``);
    const { text: found } = token;
    next();
    return found;
  }

  /** Items up to the sign that closes them; a comma may follow the last. */
  function listed<T>(close: string, read: () => T): T[] {
    next();
    const items: T[] = [];
    while (!isClosing(close)) {
      items.push(nested(read));
      if (!isSign(',')) break;
      next();
    }
    take(close);
    return items;
  }

  function primary(): Evaluate {
    if (token.kind === 'number') {
      const { value } = token;
      next();
      return () => value;
    }
    if (token.kind === 'single') {
      const value = token.text;
      next();
      return () => value;
    }
    if (token.kind === 'double') return quoted();
    if (token.kind === 'name') return named();
    if (isSign('(')) {
      const [value, ...others] = listed(')', () => binary(0));
      if (!value || others.length > 0) throw new ExpressionError('one value stands between parentheses');
      return value;
    }
    if (isSign('[')) {
      const items = listed(']', () => binary(0));
      return (context) => items.map((each) => each(context));
    }
    if (isSign('{')) return object();
    throw new ExpressionError(`unexpected \`${shown()}\``);
  }

  function named(): Evaluate {
    const found = name();
    const literal = LITERALS.get(found);
    if (literal !== undefined) return () => literal;
    if (RESERVED.has(found)) throw new ExpressionError(`\`${found}\` is a reserved word`);
    if (!isSign('(')) return (context) => item(context, found);
    const [of, ...others] = listed(')', () => binary(0));
    const apply = Object.hasOwn(FUNCTIONS, found) ? FUNCTIONS[found] : undefined;
    if (!apply) throw new ExpressionError(`there is no function ${found}`);
    if (!of || others.length > 0) throw new ExpressionError(`${found} takes one value`);
    return (context) => apply(of(context));
  }

  function object(): Evaluate {
    const entries = listed('}', () => {
      const plain = token.kind === 'name' ? name() : null;
      const key: Evaluate = plain === null ? primary() : () => plain;
      take(':');
      return [key, binary(0)] as const;
    });
    return (context) =>
      Object.fromEntries(
        entries.map(([key, value]) => {
          const made = key(context);
          if (typeof made !== 'string') throw new ExpressionError('the key of an object is a string');
          return [made, value(context)];
        }),
      );
  }

  /** A text in double quotes: escapes, and expressions within. */
  function quoted(): Evaluate {
    const parts: Evaluate[] = [];
    let plain = '';
    const flush = () => {
      const part = plain;
      plain = '';
      if (part !== '') parts.push(() => part);
    };
    let at = token.end;
    for (; text[at] !== '"'; ) {
      if (at >= text.length) throw new ExpressionError('a text has no end');
      if (text.startsWith('${{', at)) {
        flush();
        const inner = parseBlock(text, at, level + 1);
        parts.push((context) => textOf(inner.evaluate(context)));
        at = inner.end;
      } else if (text.startsWith('\\${{', at)) {
        plain += '${{';
        at += 4;
      } else if (text[at] === '\\') {
        const [all, code] = /^\\u([0-9a-fA-F]{4})/.exec(text.slice(at, at + 6)) ?? [];
        const escaped = ESCAPES[text[at + 1] ?? ''];
        if (code === undefined && escaped === undefined) throw new ExpressionError('a text has an unknown escape');
        plain += code === undefined ? escaped : String.fromCharCode(Number.parseInt(code, 16));
        at += all?.length ?? 2;
      } else {
        plain += text[at];
        at += 1;
      }
    }
    flush();
    end = at + 1;
    token = tokenAt(text, end);
    return (context) => parts.map((part) => part(context) as string).join('');
  }

  const evaluate = binary(0);
  return { evaluate, end };
}

/** Reads `${{ expression }}` at a place. */
export function parseBlock(text: string, place: number, depth = 0): { evaluate: Evaluate; end: number } {
  if (depth > DEEPEST) throw new ExpressionError('it is nested too deeply');
  const { evaluate, end } = parseExpression(text, place + 3, depth);
  const close = tokenAt(text, end);
  if (close.kind !== 'sign' || close.text !== '}}') throw new ExpressionError('expected `}}`');
  return { evaluate, end: close.end };
}
