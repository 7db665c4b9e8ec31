/** The shapes that keywords' values may have. A schema reports what is wrong, in the ecosystem's words, and says if all is well. */
import type { Problems } from '../diagnostics.ts';
import { parseDuration } from '../duration.ts';
import { isNull, type MappingNode, type Node, type ScalarNode } from '../yaml/tree.ts';

/** Where a value stands: `path` is `jobs:test:retry`, `noun` is `config` for the keyword's value or the name of a key in it. */
export type At = {
  readonly path: string;
  readonly noun: string;
  /** Whether the noun is a name that its writer chose. */
  readonly chosen?: true;
};

/** Where a value stands, in the ecosystem's words: `jobs:test:artifacts expire in`. */
export const subjectOf = ({ path, noun, chosen }: At): string => `${path} ${chosen ? noun : noun.replaceAll('_', ' ')}`;

export type Schema = (node: Node, at: At, problems: Problems) => boolean;

/** How deep lists may be nested where `!reference` and anchors nest them. */
const LIST_LEVELS = 10;

export function keyAt(at: At, key: string): At {
  return { path: at.noun === 'config' ? at.path : `${at.path}:${at.noun}`, noun: key };
}

/** Where a value stands that messages name as a part of its own, as the ecosystem does for some. */
export const partOf = (at: At): At => ({ path: keyAt(at, at.noun).path, noun: 'config' });

function when(accepts: (node: Node) => boolean, expectation: string): Schema {
  return (node, at, problems) => {
    if (accepts(node)) return true;
    problems.error(node.mark, `${subjectOf(at)} ${expectation}`);
    return false;
  };
}

export function isText(node: Node): node is ScalarNode & { value: string } {
  return node.kind === 'scalar' && typeof node.value === 'string';
}

function isWord(node: Node): node is ScalarNode {
  return node.kind === 'scalar' && node.value !== null;
}

export const text: Schema = when(isText, 'should be a string');
/** A string that is more than blanks. */
export const name: Schema = when(
  (node) => isText(node) && node.text.trim() !== '',
  "should be a string and can't be blank",
);
/** A string, number or boolean, all taken as text. */
export const word: Schema = when(isWord, 'should be a string');
export const boolean: Schema = when(
  (node) => node.kind === 'scalar' && typeof node.value === 'boolean',
  'should be a boolean value',
);

export function integer(least: number, most: number): Schema {
  return (node, at, problems) => {
    const value = node.kind === 'scalar' ? node.value : null;
    let wrong: string | null = null;
    if (typeof value !== 'number' || !Number.isInteger(value)) wrong = 'should be an integer';
    else if (value < least) wrong = `must be greater than or equal to ${least}`;
    else if (value > most) wrong = `must be less than or equal to ${most}`;
    if (wrong === null) return true;
    problems.error(node.mark, `${subjectOf(at)} ${wrong}`);
    return false;
  };
}

export function oneOf(values: readonly string[], expectation = `should be one of: ${values.join(', ')}`): Schema {
  return when((node) => isText(node) && values.includes(node.text), expectation);
}

/** A duration of at most `limit` seconds; `words` are accepted besides. */
export function duration(limit = Number.POSITIVE_INFINITY, words: readonly string[] = []): Schema {
  return (node, at, problems) => {
    const value = isText(node) ? node.text : '';
    if (words.includes(value)) return true;
    const seconds = parseDuration(value);
    if (seconds !== null && seconds <= limit) return true;
    const wrong = seconds === null ? 'should be a duration' : 'should not exceed the limit';
    problems.error(node.mark, `${subjectOf(at)} ${wrong}`);
    return false;
  };
}

/** The items of a list, with lists in it written out; null when the value is no list or nested too deep. */
export function flatItems(node: Node, levels = LIST_LEVELS): Node[] | null {
  if (node.kind !== 'sequence') return null;
  const items: Node[] = [];
  for (const item of node.items) {
    if (item.kind !== 'sequence') items.push(item);
    else {
      const inner = levels > 1 ? flatItems(item, levels - 1) : null;
      if (!inner) return null;
      for (const each of inner) items.push(each);
    }
  }
  return items;
}

export function listOf(item: Schema, expectation: string): Schema {
  return (node, at, problems) => {
    const items = flatItems(node);
    if (!items) {
      problems.error(node.mark, `${subjectOf(at)} ${expectation}`);
      return false;
    }
    // Every item is judged, so that one run names all that is wrong.
    return items.map((each) => item(each, at, problems)).every(Boolean);
  };
}

/** A list of at most `most` items; `said` where the ecosystem has other words for it. */
export function atMost(most: number, schema: Schema, said = `has too many items (maximum is ${most})`): Schema {
  return (node, at, problems) => {
    if ((flatItems(node)?.length ?? 0) <= most) return schema(node, at, problems);
    problems.error(node.mark, `${subjectOf(at)} ${said}`);
    return false;
  };
}

/** A text of at most `most` characters. */
export function noLonger(most: number, schema: Schema): Schema {
  return (node, at, problems) => {
    if (!schema(node, at, problems)) return false;
    if (node.kind !== 'scalar' || node.text.length <= most) return true;
    problems.error(node.mark, `${subjectOf(at)} is too long (maximum is ${most} characters)`);
    return false;
  };
}

/** A text with references to variables passes; what it stands for is judged when it is expanded. */
export function orVariable(schema: Schema): Schema {
  return (node, at, problems) => (isText(node) && node.text.includes('$')) || schema(node, at, problems);
}

const textItem: Schema = when(isText, 'should be an array of strings');
export const texts: Schema = listOf(textItem, 'should be an array of strings');

/** A list of some words only. */
export function textsOfThese(values: readonly string[]): Schema {
  return (node, at, problems) => {
    if (!texts(node, at, problems)) return false;
    const unknown = (flatItems(node) ?? []).filter((item) => !(isText(item) && values.includes(item.text)));
    const [first] = unknown;
    if (!first) return true;
    const words = unknown.map((item) => (item.kind === 'scalar' ? item.text : '')).join(', ');
    problems.error(first.mark, `${subjectOf(at)} contains unknown values: ${words}`);
    return false;
  };
}

/** The first schema whose kind fits judges; `expectation` is said when none fits. */
export function either(
  kinds: readonly (readonly [fits: (node: Node) => boolean, schema: Schema])[],
  expectation: string,
): Schema {
  return (node, at, problems) => {
    for (const [fits, schema] of kinds) if (fits(node)) return schema(node, at, problems);
    problems.error(node.mark, `${subjectOf(at)} ${expectation}`);
    return false;
  };
}

export const isList = (node: Node): boolean => node.kind === 'sequence';
export const isHash = (node: Node): node is MappingNode => node.kind === 'mapping';
export const isScalar = (node: Node): node is ScalarNode => node.kind === 'scalar';

export const textOrTexts: Schema = either(
  [
    [isText, text],
    [isList, texts],
  ],
  'should be an array of strings or a string',
);

export type HashShape = {
  readonly keys: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** Keys that the ecosystem knows and this compiler does not: they are named in a warning. */
  readonly unsupported?: readonly string[];
  /** What is said of other keys. */
  readonly unknown?: string;
};

/** What is checked as the ecosystem does, and has no effect here: whoever writes it is told so. */
export const ignored =
  (schema: Schema): Schema =>
  (node, at, problems) => {
    const fine = schema(node, at, problems);
    if (fine) problems.warn(node.mark, `${at.path} ${at.noun} is not supported yet and is ignored`);
    return fine;
  };

/** A hash with these keys only; a key whose value is null counts as absent. */
export function hash(shape: HashShape): Schema {
  const { keys, required = [], unsupported = [] } = shape;
  return (node, at, problems) => {
    if (!isHash(node)) {
      problems.error(node.mark, `${subjectOf(at)} should be a hash`);
      return false;
    }
    let fine = true;
    const unknown: string[] = [];
    for (const [key, { value, keyMark }] of node.entries) {
      const schema = Object.hasOwn(keys, key) ? keys[key] : undefined;
      if (schema) fine = (isNull(value) || schema(value, keyAt(at, key), problems)) && fine;
      else if (unsupported.includes(key))
        problems.warn(keyMark, `${subjectOf(at)}: ${key} is not supported yet and is ignored`);
      else unknown.push(key);
    }
    const missing = required.filter((key) => !node.entries.has(key) || isNull(node.entries.get(key)!.value));
    if (unknown.length > 0) {
      const mark = node.entries.get(unknown[0]!)!.keyMark;
      problems.error(mark, `${subjectOf(at)} ${shape.unknown ?? 'contains unknown keys'}: ${unknown.join(', ')}`);
    }
    if (missing.length > 0) {
      problems.error(node.mark, `${subjectOf(at)} missing required keys: ${missing.join(', ')}`);
    }
    return fine && unknown.length === 0 && missing.length === 0;
  };
}
