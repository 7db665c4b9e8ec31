/** Expression tree + variables -> truth. */
import type { Expression } from './parser.ts';
import { type Pattern, patternOf } from './regex.ts';

type Value = string | null | boolean | Pattern;
/** The value of a variable as it is written, or of an input; undefined when there is none. */
export type Lookup = (name: string) => string | boolean | undefined;

/** Truth of the whole: text counts when it is not blank. */
export function evaluate(expression: Expression, lookup: Lookup): boolean {
  return truth(operandValue(expression, lookup));
}

function truth(value: Value): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  return value !== null && value !== false;
}

function operandValue(expression: Expression, lookup: Lookup): Value {
  switch (expression.type) {
    case 'variable':
      return lookup(expression.name) ?? null;
    case 'string':
      return expression.value;
    case 'boolean':
      return expression.value;
    case 'null':
      return null;
    case 'pattern':
      return expression.pattern;
    case 'not':
      return !truth(operandValue(expression.operand, lookup));
    case 'binary':
      return compare(expression, lookup);
  }
}

/** What `&&` and `||` choose by: there they take empty text as something. */
const isThere = (value: Value): boolean => value !== null && value !== false;

/** `&&` and `||` answer one of their sides, and comparisons true or false. */
function compare(expression: Extract<Expression, { type: 'binary' }>, lookup: Lookup): Value {
  const left = operandValue(expression.left, lookup);
  const right = (): Value => operandValue(expression.right, lookup);
  switch (expression.operator) {
    case '&&':
      return isThere(left) ? right() : left;
    case '||':
      return isThere(left) ? left : right();
    case '==':
      return left === right();
    case '!=':
      return left !== right();
    case '=~':
      return matches(left, right());
    case '!~':
      return !matches(left, right());
  }
}

function matches(left: Value, right: Value): boolean {
  if (right === null || typeof right === 'boolean') return false;
  const text = typeof left === 'string' ? left : '';
  const pattern = typeof right === 'string' ? patternOf(right) : right;
  // Text that is no pattern matches what is a part of it.
  return pattern ? pattern.test(text) : String(right).includes(text);
}
