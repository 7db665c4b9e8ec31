/** Regular expressions of RE2: where they match, and the texts without which they cannot, which the index looks for. */
import { RE2JS } from 're2js';
import { type LineMatch, linesIn } from './places.ts';

/** Lines with a match that are looked for in one text. */
const mostLines = 100;

export interface PatternRequest {
  readonly source: string;
  readonly cased: boolean;
  readonly texts: readonly string[];
}

const compiled = ({ source, cased }: { readonly source: string; readonly cased: boolean }) =>
  RE2JS.compile(source, cased ? 0 : RE2JS.CASE_INSENSITIVE);

/** What is wrong with an expression; null where nothing is. */
export function patternProblem(source: string): string | null {
  try {
    compiled({ source, cased: true });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : 'not a regular expression';
  }
}

/** Lines of each text that match. */
export function patternMatches({ texts, ...of }: PatternRequest): LineMatch[][] {
  const pattern = compiled(of);
  return texts.map((text) => {
    const found: LineMatch[] = [];
    for (const [line, content] of linesIn(text).entries()) {
      const matcher = pattern.matcher(content.replace(/\r$/, ''));
      if (matcher.find()) found.push({ line, at: matcher.start() });
      if (found.length >= mostLines) break;
    }
    return found;
  });
}

/** Texts shorter than that narrow nothing. */
const shortestText = 3;
const mostTexts = 8;
const mostAlternatives = 16;
const special = new Set('\\^$.|?*+()[]{}');

/**
 * For each alternative at the top of an expression the texts that a line that it matches holds, whatever their case. None
 * where there is an alternative that needs no text.
 */
export function requiredTexts(source: string): string[][] {
  const alternatives = alternativesOf(source).map(textsOf);
  const narrow = alternatives.length <= mostAlternatives && alternatives.every((texts) => texts.length > 0);
  return narrow ? alternatives : [];
}

function alternativesOf(source: string): string[] {
  const parts: string[] = [];
  let begin = 0;
  let depth = 0;
  for (let at = 0; at < source.length; at += 1) {
    const sign = source[at];
    if (sign === '\\') at += 1;
    else if (sign === '[') at = endOfClass(source, at);
    else if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
    else if (sign === '|' && depth === 0) {
      parts.push(source.slice(begin, at));
      begin = at + 1;
    }
  }
  return [...parts, source.slice(begin)];
}

/** Of one alternative: runs of plain signs outside of groups and classes. */
function textsOf(source: string): string[] {
  const texts: string[] = [];
  let run = '';
  const cut = () => {
    // Letters that are others in another case beyond a to z are compared by RE2 in its own way.
    if (run.length >= shortestText && /^[\x20-\x7e]*$/.test(run)) texts.push(run);
    run = '';
  };
  let depth = 0;
  for (let at = 0; at < source.length; at += 1) {
    const sign = source[at] ?? '';
    if (sign === '[') {
      at = endOfClass(source, at);
      cut();
    } else if (sign === '(') {
      // Flags that hold for what follows.
      if (/^\(\?[a-zA-Z]*(-[a-zA-Z]+)?\)/.test(source.slice(at))) return [];
      depth += 1;
      cut();
    } else if (sign === ')') {
      depth -= 1;
      cut();
    } else if (sign === '|') {
      cut();
    } else if (sign === '*' || sign === '?' || sign === '{') {
      run = run.slice(0, -1);
      cut();
      if (sign === '{') at = Math.max(at, source.indexOf('}', at));
    } else if (sign === '\\') {
      const next = source[at + 1] ?? '';
      // Signs by their number or kind, and quotations.
      if (/[0-9QpPx]/.test(next)) return [];
      at += 1;
      if (/[a-zA-Z]/.test(next)) cut();
      else if (depth === 0) run += next;
    } else if (special.has(sign) || depth > 0) cut();
    else run += sign;
  }
  cut();
  return texts.sort((a, b) => b.length - a.length).slice(0, mostTexts);
}

/** Where a class of signs ends. */
function endOfClass(source: string, begin: number): number {
  let at = begin + 1;
  if (source[at] === '^') at += 1;
  if (source[at] === ']') at += 1;
  for (; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source.startsWith('[:', at)) at = Math.max(at, source.indexOf(':]', at) + 1);
    else if (source[at] === ']') return at;
  }
  return source.length;
}
