/** Reads metrics reports (OpenMetrics text) and compares two of them by name and labels. */
import { ReportError, type ReportKind } from './kind.ts';

/** Metrics of one report. */
const maxMetrics = 10_000;
const maxText = 500;

export interface Metric {
  /** With its labels. */
  readonly name: string;
  readonly value: string;
}

/** `name{label="value"} 12.5 1700000000`: quotes may contain spaces and braces; the time is optional. */
function metricOf(line: string): Metric | null {
  let at = 0;
  let quoted = false;
  let braces = false;
  for (; at < line.length; at++) {
    const character = line[at];
    if (quoted && character === '\\') at++;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === '{') braces = true;
    else if (!quoted && character === '}') braces = false;
    else if (!quoted && !braces && (character === ' ' || character === '\t')) break;
  }
  const name = line.slice(0, at).trim();
  const [value = ''] = line.slice(at).trim().split(/\s+/, 1);
  return name === '' || value === '' ? null : { name: name.slice(0, maxText), value: value.slice(0, maxText) };
}

export const metrics: ReportKind<readonly Metric[]> = {
  type: 'metrics',
  async read(text) {
    const found = new Map<string, Metric>();
    for (const line of text.split('\n')) {
      if (line.trim() === '' || line.startsWith('#')) continue;
      const metric = metricOf(line.trim());
      if (metric === null) throw new ReportError('a line has no value');
      found.set(metric.name, metric);
      if (found.size > maxMetrics) throw new ReportError(`number of metrics exceeded the limit of ${maxMetrics}`);
    }
    return { content: [...found.values()], summary: { metrics: found.size } };
  },
};

interface MetricsComparison {
  readonly added: readonly Metric[];
  readonly existing: ReadonlyArray<Metric & { readonly previous: string }>;
  readonly removed: readonly Metric[];
}

export function compareMetrics(base: readonly Metric[], head: readonly Metric[]): MetricsComparison {
  const before = new Map(base.map(({ name, value }) => [name, value]));
  const now = new Set(head.map(({ name }) => name));
  return {
    added: head.filter(({ name }) => !before.has(name)),
    existing: head.flatMap((metric) => {
      const previous = before.get(metric.name);
      return previous === undefined ? [] : [{ ...metric, previous }];
    }),
    removed: base.filter(({ name }) => !now.has(name)),
  };
}
