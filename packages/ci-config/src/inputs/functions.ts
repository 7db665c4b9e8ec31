/** The functions of an interpolation block: `$[[ inputs.name | truncate(0, 8) | posix_escape ]]`. */
import type { Node } from '../yaml/tree.ts';
import { scalar } from './value.ts';

/** Replaces names of variables that exist; the name of a masked one is an error, given as the reason. */
export type ExpandVariables = (text: string) => { readonly text: string } | { readonly reason: string };

type Outcome = Node | string;
type Apply = (text: string, node: Node, expand: ExpandVariables) => Outcome;
type Made = {
  readonly name: string;
  readonly apply: Apply;
  /** What the functions behind it expand variables with. */
  readonly expandsBehind?: ExpandVariables;
};

const asText = (node: Node, text: string): Node => scalar(node.mark, text);

const FUNCTIONS: readonly (readonly [RegExp, (match: RegExpExecArray) => Made])[] = [
  [
    /^expand_vars$/,
    () => ({
      name: 'expand_vars',
      apply: (text, node, expand) => {
        const result = expand(text);
        return 'text' in result ? asText(node, result.text) : `variable expansion error: ${result.reason}`;
      },
    }),
  ],
  [
    /^truncate\(\s*(\d{1,15})\s*,\s*(\d{1,15})\s*\)$/,
    ([, offset, length]) => ({
      name: 'truncate',
      apply: (text, node) => {
        const from = Number(offset);
        return asText(node, [...text].slice(from, from + Number(length)).join(''));
      },
    }),
  ],
  [
    /^posix_(?:escape|quote)$/,
    () => ({
      name: 'posix_escape',
      apply: (text, node) => asText(node, escaped(text)),
      // Their dollars are escaped: a value that took the place of a name would not be.
      expandsBehind: (text) => ({ text }),
    }),
  ],
  [
    /^split\('([^']*)'\)$/,
    ([, separator]) => ({
      name: 'split',
      apply: (text, node) => {
        if (!separator) return 'invalid argument: separator cannot be empty';
        const parts = text.split(separator).map((part) => part.trim());
        const items = parts.filter((part) => part !== '').map((part) => asText(node, part));
        return { kind: 'sequence', mark: node.mark, items };
      },
    }),
  ],
];

/** One word of a POSIX shell that stands for the text. */
function escaped(text: string): string {
  if (text === '') return "''";
  return text.replace(/[^A-Za-z0-9_\-.,:+/@\n]/gu, '\\$&').replaceAll('\n', "'\n'");
}

/** The value after the functions, in their order, or why one cannot be carried out. */
export function applyFunctions(value: Node, written: readonly string[], expand: ExpandVariables): Outcome {
  const made: Made[] = [];
  for (const each of written) {
    const found = functionOf(each);
    if (!found)
      return `no function matching \`${each}\`: check that the function name, arguments, and types are correct`;
    made.push(found);
  }
  let node = value;
  let expanding = expand;
  for (const { name, apply, expandsBehind } of made) {
    if (node.kind !== 'scalar' || typeof node.value !== 'string') {
      return `invalid input type: ${name} can only be used with string inputs`;
    }
    const result = apply(node.value, node, expanding);
    if (typeof result === 'string') return result;
    node = result;
    expanding = expandsBehind ?? expanding;
  }
  return node;
}

function functionOf(written: string): Made | null {
  for (const [pattern, make] of FUNCTIONS) {
    const match = pattern.exec(written);
    if (match) return make(match);
  }
  return null;
}
