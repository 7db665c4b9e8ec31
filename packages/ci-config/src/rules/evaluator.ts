/** Expression tree + variables -> truth. */
import type { Expression } from './parser.ts';
import { type Pattern, patternOf } from './regex.ts';

type Value = string | null | boolean | Pattern;
/** The expanded value of a variable, or of an input; undefined when there is none. */
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
    case 'binary':
      return compare(expression, lookup);
  }
}

function compare(expression: Extract<Expression, { type: 'binary' }>, lookup: Lookup): boolean {
  const left = operandValue(expression.left, lookup);
  const right = (): Value => operandValue(expression.right, lookup);
  switch (expression.operator) {
    case '&&':
      return truth(left) && truth(right());
    case '||':
      return truth(left) || truth(right());
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
  const pattern = typeof right === 'string' ? patternOf(right) : right;
  if (pattern === null || typeof pattern === 'boolean') return false;
  return pattern.test(typeof left === 'string' ? left : '');
}
