/** `rules:if` tokens -> expression tree. `&&` binds closer than `||`, comparisons closer than both, `!` closer than all. */
import type { Limits } from '../limits.ts';
import { type Dialect, ExpressionError, type Operator, type Token, tokenize } from './lexer.ts';
import { compilePattern, type Pattern } from './regex.ts';

export type Expression =
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'null' }
  | { readonly type: 'pattern'; readonly pattern: Pattern }
  | { readonly type: 'not'; readonly operand: Expression }
  | { readonly type: 'binary'; readonly operator: Operator; readonly left: Expression; readonly right: Expression };

const PRECEDENCE: Record<Operator, number> = { '||': 1, '&&': 2, '==': 3, '!=': 3, '=~': 3, '!~': 3 };

/** Throws ExpressionError with the reason and the character. */
export function parseExpression(text: string, limits: Limits, dialect?: Dialect): Expression {
  if (text.length > limits.expressionLength) {
    throw new ExpressionError(`too long, the limit expressionLength is ${limits.expressionLength},`, text.length - 1);
  }
  const tokens = tokenize(text, limits.expressionTokens, dialect);
  let index = 0;

  const binary = (lowest: number): Expression => {
    let left = operand();
    for (;;) {
      const token = tokens[index];
      if (token?.type !== 'operator' || PRECEDENCE[token.operator] < lowest) return left;
      index++;
      const right = binary(PRECEDENCE[token.operator] + 1);
      left = { type: 'binary', operator: token.operator, left, right };
    }
  };
  const operand = (): Expression => {
    const token = tokens[index++];
    if (!token) throw new ExpressionError('a value is missing', text.length);
    if (token.type === '!') return { type: 'not', operand: operand() };
    if (token.type === '(') {
      const inner = binary(1);
      if (tokens[index++]?.type !== ')') throw new ExpressionError('a parenthesis is not closed, opened', token.at);
      return inner;
    }
    return leaf(token);
  };

  const expression = binary(1);
  const rest = tokens[index];
  if (rest) throw new ExpressionError('an operator is missing', rest.at);
  return expression;
}

function leaf(token: Token): Expression {
  switch (token.type) {
    case 'variable':
      return { type: 'variable', name: token.name };
    case 'string':
      return { type: 'string', value: token.value };
    case 'boolean':
      return { type: 'boolean', value: token.value };
    case 'null':
      return { type: 'null' };
    case 'pattern': {
      const pattern = compilePattern(token.source, token.flags);
      if (typeof pattern === 'string') throw new ExpressionError(pattern, token.at);
      return { type: 'pattern', pattern };
    }
    case 'operator':
      throw new ExpressionError(`a value is missing before \`${token.operator}\``, token.at);
    case '!':
    case '(':
    case ')':
      throw new ExpressionError(`unexpected \`${token.type}\``, token.at);
  }
}

/** The variables, or inputs, that an expression looks at. */
export function namesIn(expression: Expression): string[] {
  if (expression.type === 'variable') return [expression.name];
  if (expression.type === 'not') return namesIn(expression.operand);
  if (expression.type === 'binary') return [...namesIn(expression.left), ...namesIn(expression.right)];
  return [];
}
