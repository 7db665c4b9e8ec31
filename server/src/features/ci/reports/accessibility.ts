/** Reads accessibility reports (pa11y) and compares two of them: what is wrong on which page. */
import { isHash, jsonOf, ReportError, type ReportKind } from './kind.ts';

/** Findings of one report. */
const maxFindings = 50_000;
const maxText = 2_000;

export interface AccessibilityFinding {
  readonly url: string;
  readonly code: string;
  readonly type: string;
  readonly message: string;
  readonly context: string;
  readonly selector: string;
  readonly runner: string;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, maxText) : '');

function findingOf(url: string, value: unknown): AccessibilityFinding {
  // A page that could not be tested has only a message.
  if (!isHash(value) || textOf(value.message) === '') throw new ReportError(`a finding of ${url} has no message`);
  return {
    url,
    code: textOf(value.code),
    type: textOf(value.type) || 'error',
    message: textOf(value.message),
    context: textOf(value.context),
    selector: textOf(value.selector),
    runner: textOf(value.runner),
  };
}

/** Notices and warnings are not counted, as the tools do not. */
export const accessibility: ReportKind<readonly AccessibilityFinding[]> = {
  type: 'accessibility',
  async read(text) {
    const report = jsonOf(text);
    if (!isHash(report) || !isHash(report.results)) throw new ReportError('the report has no results');
    const found = Object.entries(report.results).flatMap(([url, list]) => {
      if (!Array.isArray(list)) throw new ReportError(`the results of ${url.slice(0, 200)} are not a list`);
      return list.map((each) => findingOf(url.slice(0, maxText), each));
    });
    if (found.length > maxFindings) throw new ReportError(`number of findings exceeded the limit of ${maxFindings}`);
    const errors = found.filter(({ type }) => type === 'error');
    return { content: errors, summary: { errors: errors.length } };
  },
};

const keyOf = ({ url, code, message, context, selector }: AccessibilityFinding): string =>
  JSON.stringify([url, code, code === '' ? message : '', selector === '' ? context : selector]);

interface AccessibilityComparison {
  readonly added: readonly AccessibilityFinding[];
  readonly resolved: readonly AccessibilityFinding[];
  readonly existing: readonly AccessibilityFinding[];
}

/** A finding is the same where page, rule and element are. */
export function compareAccessibility(
  base: readonly AccessibilityFinding[],
  head: readonly AccessibilityFinding[],
): AccessibilityComparison {
  const before = new Set(base.map(keyOf));
  const now = new Set(head.map(keyOf));
  return {
    added: head.filter((each) => !before.has(keyOf(each))),
    resolved: base.filter((each) => !now.has(keyOf(each))),
    existing: head.filter((each) => before.has(keyOf(each))),
  };
}
