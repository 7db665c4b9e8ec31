/** Words of expressions. Texts in double quotes may hold expressions themselves; they are left to the parser. */
import { ExpressionError } from './values.ts';

export type Token =
  | { readonly kind: 'number'; readonly value: number; readonly end: number }
  | { readonly kind: 'name' | 'sign' | 'single' | 'double'; readonly text: string; readonly end: number }
  | { readonly kind: 'end'; readonly text: ''; readonly end: number };

const BLANK = /\s*/y;
const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const NAME = /[A-Za-z_]\w*/y;
const SIGN = /&&|\|\||[=!<>]=|}}|[-+*/%<>!.,:()[\]{}]/y;
const SINGLE = /'((?:[^'\\]|\\['\\])*)'/y;

function at(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from;
  return pattern.exec(text);
}

/** The word that begins at or after a place. */
export function tokenAt(text: string, place: number): Token {
  const from = place + (at(BLANK, text, place)?.[0].length ?? 0);
  if (from >= text.length) return { kind: 'end', text: '', end: from };
  // The text in double quotes ends where the parser says.
  if (text[from] === '"') return { kind: 'double', text: '"', end: from + 1 };
  const number = at(NUMBER, text, from)?.[0];
  if (number !== undefined) return { kind: 'number', value: Number(number), end: from + number.length };
  const name = at(NAME, text, from)?.[0];
  if (name !== undefined) return { kind: 'name', text: name, end: from + name.length };
  const single = at(SINGLE, text, from);
  if (single) return { kind: 'single', text: (single[1] ?? '').replace(/\\(.)/gs, '$1'), end: from + single[0].length };
  const sign = at(SIGN, text, from)?.[0];
  if (sign !== undefined) return { kind: 'sign', text: sign, end: from + sign.length };
  throw new ExpressionError(`unexpected \`${text[from]}\``);
}
