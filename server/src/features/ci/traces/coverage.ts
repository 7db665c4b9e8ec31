/** Reads the coverage out of a log with the job's own expression: linear time, bounded lines. Pure. */
import { RE2JS } from 're2js';
import { withoutStamp } from './line-scanner.ts';

/** Longer lines are cut: a report of coverage is short. */
const maxLineLength = 2000;

const terminalSequences = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*[A-Za-z]`, 'g');

/** Collects the last match over a log that arrives in pieces. */
export interface CoverageScanner {
  push(text: string): void;
  /** The number in the last line that matched, 0 to 100 with two digits; null when none did. */
  result(): string | null;
}

/** What the groups of a match have, those within another one left out; all of the match where there are no groups. */
function outerGroups(matcher: ReturnType<RE2JS['matcher']>): string[] {
  const texts: string[] = [];
  let end = -1;
  for (let at = 1; at <= matcher.groupCount(); at++) {
    if (matcher.start(at) < Math.max(end, 0)) continue;
    texts.push(matcher.group(at) ?? '');
    end = matcher.end(at);
  }
  return texts.length > 0 ? texts : [matcher.group() ?? ''];
}

/** A scanner for an expression written with slashes around it or without; null when it does not compile. */
export function coverageScanner(expression: string): CoverageScanner | null {
  const inner = /^\/([\s\S]*)\/([imsu]*)$/.exec(expression);
  let pattern: RE2JS;
  try {
    const flags = inner?.[2]?.includes('i') ? RE2JS.CASE_INSENSITIVE : 0;
    pattern = RE2JS.compile(inner?.[1] ?? expression, flags);
  } catch {
    return null;
  }
  let rest = '';
  let found: string | null = null;
  const look = (line: string) => {
    const matcher = pattern.matcher(withoutStamp(line).slice(0, maxLineLength).replace(terminalSequences, ''));
    while (matcher.find()) {
      found =
        outerGroups(matcher)
          .flatMap((text) => /\d+(?:\.\d+)?/.exec(text) ?? [])
          .at(-1) ?? found;
    }
  };
  return {
    push: (text) => {
      const lines = (rest + text).split(/\r?\n|\r/);
      rest = (lines.pop() ?? '').slice(0, maxLineLength);
      for (const line of lines) look(line);
    },
    result: () => {
      if (rest !== '') look(rest);
      const value = found === null ? Number.NaN : Number(found);
      return value >= 0 && value <= 100 ? value.toFixed(2) : null;
    },
  };
}
