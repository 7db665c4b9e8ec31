/** Reads code quality reports (the Code Climate format) and compares two of them by fingerprint. */
import { isHash, jsonOf, ReportError, type ReportKind } from './kind.ts';

/** Findings of one report. */
const maxFindings = 50_000;
const maxText = 2_000;

export const severities = ['blocker', 'critical', 'major', 'minor', 'info', 'unknown'] as const;
type Severity = (typeof severities)[number];

export interface QualityFinding {
  readonly fingerprint: string;
  readonly description: string;
  readonly severity: Severity;
  readonly path: string;
  readonly line: number | null;
  readonly engine: string | null;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, maxText) : '');

function lineOf(location: Readonly<Record<string, unknown>>): number | null {
  const { lines, positions } = location;
  const begin = isHash(lines)
    ? lines.begin
    : isHash(positions) && isHash(positions.begin)
      ? positions.begin.line
      : null;
  return typeof begin === 'number' && Number.isSafeInteger(begin) && begin > 0 ? begin : null;
}

function findingOf(value: unknown, at: number): QualityFinding {
  const location = isHash(value) ? value.location : null;
  if (!isHash(value) || !isHash(location))
    throw new ReportError(`Invalid degradation format: finding ${at + 1} has no location`);
  const fingerprint = textOf(value.fingerprint);
  const path = textOf(location.path).replace(/^(?:\.\/)+/, '');
  if (fingerprint === '' || path === '')
    throw new ReportError(`Invalid degradation format: finding ${at + 1} has no fingerprint or path`);
  return {
    fingerprint,
    description: textOf(value.description),
    severity: severities.find((each) => each === value.severity) ?? 'unknown',
    path,
    line: lineOf(location),
    engine: typeof value.engine_name === 'string' ? textOf(value.engine_name) : null,
  };
}

export const codeQuality: ReportKind<readonly QualityFinding[]> = {
  type: 'codequality',
  async read(text) {
    const list = jsonOf(text);
    if (!Array.isArray(list)) throw new ReportError('Invalid degradation format: the report is not a list');
    if (list.length > maxFindings) throw new ReportError(`number of findings exceeded the limit of ${maxFindings}`);
    const found = new Map(list.map(findingOf).map((finding) => [finding.fingerprint, finding]));
    return { content: [...found.values()], summary: { findings: found.size } };
  },
};

interface QualityComparison {
  readonly added: readonly QualityFinding[];
  readonly resolved: readonly QualityFinding[];
  readonly existing: readonly QualityFinding[];
}

const worstFirst = (a: QualityFinding, b: QualityFinding) =>
  severities.indexOf(a.severity) - severities.indexOf(b.severity);

export function compareQuality(base: readonly QualityFinding[], head: readonly QualityFinding[]): QualityComparison {
  const before = new Set(base.map(({ fingerprint }) => fingerprint));
  const now = new Set(head.map(({ fingerprint }) => fingerprint));
  return {
    added: head.filter(({ fingerprint }) => !before.has(fingerprint)).sort(worstFirst),
    resolved: base.filter(({ fingerprint }) => !now.has(fingerprint)).sort(worstFirst),
    existing: head.filter(({ fingerprint }) => before.has(fingerprint)).sort(worstFirst),
  };
}
