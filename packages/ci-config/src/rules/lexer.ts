/** `rules:if` text -> tokens. */

export type Operator = '==' | '!=' | '=~' | '!~' | '&&' | '||';
export type Token = { readonly at: number } & (
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'pattern'; readonly source: string; readonly flags: string }
  | { readonly type: 'operator'; readonly operator: Operator }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'null' | '!' | '(' | ')' }
);

/** Why an expression cannot be read, and at which character (from 1). */
export class ExpressionError extends Error {
  override name = 'ExpressionError';
  readonly at: number;

  constructor(message: string, at: number) {
    super(`${message} at character ${at + 1}`);
    this.at = at;
  }
}

/** What an expression looks at: CI variables, or the inputs of a header. */
export type Dialect = 'variables' | 'inputs';

type Lexeme = readonly [RegExp, (match: RegExpExecArray, at: number) => Token];
const LEXEMES: readonly Lexeme[] = [
  [/[()]/y, ([text], at) => ({ type: text as '(' | ')', at })],
  [/\$(\w+)/y, (match, at) => ({ type: 'variable', name: match[1]!, at })],
  [/"([^"]*)"|'([^']*)'/y, (match, at) => ({ type: 'string', value: match[1] ?? match[2] ?? '', at })],
  [/\/((?:[^/\\]|\\.)+)\/([ismU]*)/sy, (match, at) => ({ type: 'pattern', source: match[1]!, flags: match[2]!, at })],
  [/null\b/y, (_, at) => ({ type: 'null', at })],
  [/(true|false)\b/y, (match, at) => ({ type: 'boolean', value: match[1] === 'true', at })],
  [/==|!=|=~|!~|&&|\|\|/y, ([text], at) => ({ type: 'operator', operator: text as Operator, at })],
  // After the comparisons that begin with it.
  [/!/y, (_, at) => ({ type: '!', at })],
];
const OF_INPUTS: readonly Lexeme[] = [
  [/\$\[\[[ \t]*inputs\.([^\s[\]|]+)[ \t]*\]\]/y, (match, at) => ({ type: 'variable', name: match[1]!, at })],
  ...LEXEMES.filter(([pattern]) => !pattern.source.startsWith('\\$')),
];
const SPACE = /\s*/y;

export function tokenize(text: string, mostTokens: number, dialect: Dialect = 'variables'): Token[] {
  const lexemes = dialect === 'inputs' ? OF_INPUTS : LEXEMES;
  const tokens: Token[] = [];
  let at = skipSpace(text, 0);
  while (at < text.length) {
    if (tokens.length === mostTokens) {
      throw new ExpressionError(`too many tokens, the limit expressionTokens is ${mostTokens},`, at);
    }
    const token = next(text, at, lexemes);
    tokens.push(token.token);
    at = skipSpace(text, token.end);
  }
  return tokens;
}

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

function next(text: string, at: number, lexemes: readonly Lexeme[]): { token: Token; end: number } {
  for (const [pattern, make] of lexemes) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return { token: make(match, at), end: pattern.lastIndex };
  }
  throw new ExpressionError(`unexpected \`${text.slice(at, at + 20)}\``, at);
}
