/**
 * Templates of changelogs: `{% if x %}`, `{% else %}`, `{% each x %}`, `{% end %}` and `{{ a.b.0 }}`; `it` is the value
 * itself. A statement takes the line end behind it along, a backslash at the end of a line too. Pure, in bounded time.
 */

/** A template that cannot be read, or that makes more than is kept. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

type Path = readonly string[];
type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: Path }
  | { readonly kind: 'if'; readonly path: Path; readonly first: readonly Part[]; readonly otherwise: readonly Part[] }
  | { readonly kind: 'each'; readonly path: Path; readonly body: readonly Part[] };

export type Template = readonly Part[];

const longestTemplate = 64 * 1024;
const deepest = 16;
const mostSteps = 200_000;
const longestOutput = 4 * 1024 * 1024;

interface Token {
  readonly kind: 'text' | 'value' | 'statement';
  readonly text: string;
}

const tag = /\{\{([^{}]*)\}\}|\{%([^{}]*?)%\}\n?/g;
/** A backslash that ends a line hides the end of it. */
const joined = (text: string) => text.replaceAll('\\\n', '');

function tokens(source: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  for (const match of source.matchAll(tag)) {
    if (match.index > at) found.push({ kind: 'text', text: source.slice(at, match.index) });
    const [whole, value, statement] = match;
    found.push(
      value === undefined
        ? { kind: 'statement', text: (statement ?? '').trim() }
        : { kind: 'value', text: value.trim() },
    );
    at = match.index + whole.length;
  }
  if (at < source.length) found.push({ kind: 'text', text: source.slice(at) });
  return found;
}

function pathOf(text: string): Path {
  if (!/^[\w-]+(\.[\w-]+)*$/.test(text)) throw new TemplateError(`'${text.slice(0, 100)}' is no variable`);
  return text.split('.');
}

/** Reads a template. */
export function parseTemplate(source: string): Template {
  if (source.length > longestTemplate)
    throw new TemplateError(`the template is longer than ${longestTemplate} characters`);
  const list = tokens(joined(source));
  let at = 0;

  /** Parts until a statement that ends them; which one it was. */
  function block(depth: number): { readonly parts: Part[]; readonly end: 'end' | 'else' | null } {
    if (depth > deepest) throw new TemplateError(`statements nest deeper than ${deepest}`);
    const parts: Part[] = [];
    while (at < list.length) {
      const token = list[at] as Token;
      at += 1;
      if (token.kind === 'text') parts.push({ kind: 'text', text: token.text });
      else if (token.kind === 'value') parts.push({ kind: 'value', path: pathOf(token.text) });
      else {
        const [word = '', argument = '', ...more] = token.text.split(/\s+/);
        if ((word === 'end' || word === 'else') && argument === '') return { parts, end: word };
        if ((word !== 'if' && word !== 'each') || more.length > 0)
          throw new TemplateError(`'${token.text.slice(0, 100)}' is no statement`);
        parts.push(statement(word, pathOf(argument), depth));
      }
    }
    return { parts, end: null };
  }

  function statement(word: 'if' | 'each', path: Path, depth: number): Part {
    const body = block(depth + 1);
    if (word === 'each') {
      if (body.end !== 'end') throw new TemplateError('each without end');
      return { kind: 'each', path, body: body.parts };
    }
    const otherwise = body.end === 'else' ? block(depth + 1) : { parts: [], end: body.end };
    if (otherwise.end !== 'end') throw new TemplateError('if without end');
    return { kind: 'if', path, first: body.parts, otherwise: otherwise.parts };
  }

  const whole = block(0);
  if (whole.end !== null) throw new TemplateError(`${whole.end} without a beginning`);
  return whole.parts;
}

/** What a path leads to from a value; undefined where it leads nowhere. */
function lookUp(scope: unknown, path: Path): unknown {
  let value = scope;
  for (const [index, name] of path.entries()) {
    if (index === 0 && name === 'it') continue;
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** Empty texts, lists and objects are false; numbers are true. */
function isTrue(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

const printed = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** The text of a template with its data. */
export function renderTemplate(template: Template, data: unknown): string {
  let steps = 0;
  let length = 0;
  const output: string[] = [];
  const write = (text: string) => {
    length += text.length;
    if (length > longestOutput) throw new TemplateError(`the template makes more than ${longestOutput} characters`);
    output.push(text);
  };
  function run(parts: Template, scope: unknown): void {
    for (const part of parts) {
      steps += 1;
      if (steps > mostSteps) throw new TemplateError(`the template takes more than ${mostSteps} steps`);
      if (part.kind === 'text') write(part.text);
      else if (part.kind === 'value') write(printed(lookUp(scope, part.path)));
      else {
        const value = lookUp(scope, part.path);
        if (part.kind === 'if') run(isTrue(value) ? part.first : part.otherwise, scope);
        else if (Array.isArray(value)) for (const item of value) run(part.body, item);
        else if (typeof value === 'object' && value !== null)
          for (const item of Object.values(value)) run(part.body, item);
      }
    }
  }
  run(template, data);
  return output.join('');
}
