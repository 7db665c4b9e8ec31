/** What may be typed at a place of a CI/CD configuration. Pure; the text may be broken, as it is while it is typed. */
import { globalKeywords, jobKeywords, nestedKeywords, valuesOf } from './keywords.ts';

export interface Completion {
  /** Where the word begins that a suggestion replaces. */
  readonly from: number;
  readonly options: readonly string[];
}

interface Line {
  readonly indent: number;
  readonly key: string | null;
  readonly value: string;
  readonly item: boolean;
}

const keyPattern = /^(\s*)(- +)?(?:"([^"]*)"|'([^']*)'|([^\s:#'"-][^:#]*?))\s*:(?:\s+(.*))?$/;

function lineOf(text: string): Line {
  const found = keyPattern.exec(text);
  const item = /^\s*-(?:\s|$)/.test(text);
  const indent = /^\s*/.exec(text)?.[0].length ?? 0;
  if (!found) return { indent, key: null, value: text.trim(), item };
  const [, space = '', dash = '', double, single, plain] = found;
  return {
    indent: space.length + dash.length,
    key: double ?? single ?? plain ?? '',
    value: (found[6] ?? '').trim(),
    item,
  };
}

const blank = (text: string) => /^\s*(?:#.*)?$/.test(text);

/** Keys of the mappings around a line with so much space in front, outermost first. */
function parentsOf(lines: readonly string[], before: number, indent: number): string[] {
  const parents: string[] = [];
  let limit = indent;
  for (let at = before; at >= 0 && limit > 0; at--) {
    const text = lines[at] ?? '';
    if (blank(text)) continue;
    const line = lineOf(text);
    if (line.indent >= limit) continue;
    limit = line.indent;
    if (line.key !== null) parents.unshift(line.key);
  }
  return parents;
}

const topLevel = (text: string): string[] =>
  text.split('\n').flatMap((line) => {
    const { indent, key, item } = lineOf(line);
    return indent === 0 && !item && key !== null ? [key] : [];
  });

const global: ReadonlySet<string> = new Set(globalKeywords);

/** Jobs, hidden ones too, in the order of the text. */
export const jobNames = (text: string): string[] => [...new Set(topLevel(text).filter((key) => !global.has(key)))];

/** `stages` as the text lists them, and those that every pipeline has. */
export function stageNames(text: string): string[] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^stages\s*:/.test(line));
  if (start === -1) return ['.pre', 'build', 'test', 'deploy', '.post'];
  const inline = /^stages\s*:\s*\[([^\]]*)\]/.exec(lines[start] ?? '')?.[1];
  const own: string[] = inline === undefined ? [] : inline.split(',');
  if (inline === undefined)
    for (const line of lines.slice(start + 1)) {
      const item = /^\s*-\s+(.+)$/.exec(line)?.[1];
      if (item !== undefined) own.push(item);
      else if (!blank(line)) break;
    }
  const names = own.map((name) => name.trim().replace(/^(["'])(.*)\1$/, '$2')).filter((name) => name !== '');
  return [...new Set(['.pre', ...names, '.post'])];
}

function valueOptions(text: string, parents: readonly string[], key: string): readonly string[] {
  if (key === 'stage') return stageNames(text);
  if (key === 'extends') return jobNames(text);
  if (key === 'needs' || key === 'dependencies' || (key === 'job' && parents.includes('needs')))
    return jobNames(text).filter((name) => !name.startsWith('.'));
  return valuesOf(key, parents.at(-1) ?? null);
}

function keyOptions(parents: readonly string[], text: string): readonly string[] {
  if (parents.length === 0) return [...globalKeywords, ...jobNames(text)];
  const [top = '', ...rest] = parents;
  const inner = rest.at(-1) ?? (global.has(top) ? top : null);
  if (inner === null || inner === 'default') return jobKeywords;
  return nestedKeywords[inner] ?? [];
}

/** Null where nothing is known. Words that stand whole already are not offered. */
export function completionAt(text: string, position: number): Completion | null {
  const start = text.lastIndexOf('\n', position - 1) + 1;
  const before = text.slice(start, position);
  if (/(?:^|\s)#/.test(before)) return null;
  const lines = text.slice(0, start).split('\n').slice(0, -1);
  const value = /^(\s*(?:- +)?)([\w.-]+)\s*:\s+(?:\[.*?[[,]\s*|\[\s*)?([^\s[\],]*)$/.exec(before);
  const word = value?.[3] ?? /^(\s*(?:- +)?)(\S*)$/.exec(before)?.[2];
  if (word === undefined) return null;
  const indent = lineOf(before.endsWith(':') ? before : `${before}x:`).indent;
  const parents = parentsOf(lines, lines.length - 1, indent);
  const list = value ? null : /^\s*- +\S*$/.test(before);
  const options = value
    ? valueOptions(text, parents, value[2] ?? '')
    : list
      ? [
          ...valueOptions(text, parents.slice(0, -1), parents.at(-1) ?? ''),
          ...(nestedKeywords[parents.at(-1) ?? ''] ?? []),
        ]
      : keyOptions(parents, text);
  const matching = [...new Set(options)].filter(
    (option) => option.toLowerCase().startsWith(word.toLowerCase()) && option !== word,
  );
  return matching.length === 0 ? null : { from: position - word.length, options: matching.slice(0, 12) };
}

/** What is written in place of the word that a suggestion replaces. */
export function inserted(text: string, position: number, { from }: Completion, option: string): string {
  const line = text.slice(text.lastIndexOf('\n', from - 1) + 1, from);
  // Keys end with a colon, values and items of lists as they are.
  const isKey = /^\s*(?:- +)?$/.test(line) && !/^\s*- +$/.test(line);
  return isKey && !/^\s*:/.test(text.slice(position)) ? `${option}: ` : option;
}
