/** Reads reports of performance, of pages in a browser (sitespeed.io) and under load (k6), and compares two of them. */
import { isHash, jsonOf, ReportError, type ReportKind } from './kind.ts';

/** Metrics of one report. */
const maxMetrics = 10_000;
const maxText = 500;

export interface PerformanceMetric {
  /** Path of the page; empty where the report is about no page. */
  readonly subject: string;
  readonly name: string;
  readonly value: number;
  /** Whether a greater value is the better one. */
  readonly larger: boolean;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, maxText).trim() : '');
const numberOf = (value: unknown): number | null => {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
};
/** Two digits after the point are enough to compare. */
const rounded = (value: number): number => Math.round(value * 100) / 100;

async function readPages(text: string) {
  const report = jsonOf(text);
  if (!Array.isArray(report)) throw new ReportError('the report is not a list of pages');
  const content: PerformanceMetric[] = [];
  for (const page of report) {
    if (!isHash(page) || !Array.isArray(page.metrics)) throw new ReportError('a page has no metrics');
    const subject = textOf(page.subject);
    for (const metric of page.metrics) {
      const value = isHash(metric) ? numberOf(metric.value) : null;
      if (!isHash(metric) || textOf(metric.name) === '') throw new ReportError('a metric has no name');
      // What could not be measured is told as a text.
      if (value === null) continue;
      const larger = metric.desiredSize !== 'smaller';
      content.push({ subject, name: textOf(metric.name), value: rounded(value), larger });
      if (content.length > maxMetrics) throw new ReportError(`number of metrics exceeded the limit of ${maxMetrics}`);
    }
  }
  return { content, summary: { metrics: content.length } };
}

/** The name before is still uploaded by old templates. */
export const browserPerformance: readonly ReportKind<readonly PerformanceMetric[]>[] = [
  { type: 'browser_performance', read: readPages },
  { type: 'performance', read: readPages },
];

type Hash = Readonly<Record<string, unknown>>;

/** Percent of the checks that passed; a summary of newer versions names the numbers as those of older ones. */
function passed(checks: Hash): number | null {
  const [passes, fails] = [numberOf(checks.passes), numberOf(checks.fails)];
  if (passes === null || fails === null || passes + fails === 0) return null;
  return (passes / (passes + fails)) * 100;
}

export const loadPerformance: ReportKind<readonly PerformanceMetric[]> = {
  type: 'load_performance',
  async read(text) {
    const report = jsonOf(text);
    if (!isHash(report) || !isHash(report.metrics)) throw new ReportError('the report has no metrics');
    const { metrics } = report;
    const of = (name: string): Hash => (isHash(metrics[name]) ? (metrics[name] as Hash) : {});
    const found: readonly [name: string, value: number | null, larger: boolean][] = [
      ['Checks (%)', passed(of('checks')), true],
      ['TTFB P90 (ms)', numberOf(of('http_req_waiting')['p(90)']), false],
      ['TTFB P95 (ms)', numberOf(of('http_req_waiting')['p(95)']), false],
      ['RPS', numberOf(of('http_reqs').rate), true],
    ];
    const content = found.flatMap(([name, value, larger]) =>
      value === null ? [] : [{ subject: '', name, value: rounded(value), larger }],
    );
    return { content, summary: { metrics: content.length } };
  },
};

interface Compared extends PerformanceMetric {
  readonly previous: number;
}
export interface PerformanceComparison {
  readonly degraded: readonly Compared[];
  readonly improved: readonly Compared[];
  readonly unchanged: readonly Compared[];
  /** Without a value before. */
  readonly added: readonly PerformanceMetric[];
}

/** What a page's score as a whole is called. */
const totalScore = 'Total Score';
const keyOf = ({ subject, name }: PerformanceMetric): string => JSON.stringify([subject, name]);

/** `threshold`: points by which the score of a page has to fall to count as worse. */
export function comparePerformance(
  base: readonly PerformanceMetric[],
  head: readonly PerformanceMetric[],
  threshold = 0,
): PerformanceComparison {
  const before = new Map(base.map((metric) => [keyOf(metric), metric.value]));
  const added = head.filter((metric) => !before.has(keyOf(metric)));
  const compared = head.flatMap((metric) => {
    const previous = before.get(keyOf(metric));
    if (previous === undefined) return [];
    const better = (metric.value - previous) * (metric.larger ? 1 : -1);
    const slight = metric.name === totalScore && better < 0 && -better < threshold;
    return [{ metric: { ...metric, previous }, better: slight ? 0 : better }];
  });
  const those = (wanted: number) =>
    compared.filter(({ better }) => Math.sign(better) === wanted).map(({ metric }) => metric);
  return { degraded: those(-1), improved: those(1), unchanged: those(0), added };
}
