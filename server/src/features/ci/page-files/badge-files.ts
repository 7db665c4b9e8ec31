/** `/badges/REF/pipeline.svg` and `coverage.svg`: the state of a branch as a picture for readme files. */
import type { PageFile } from '../../../kernel/http/page-files.ts';
import type { CiDependencies } from '../deps.ts';
import { newestPipeline } from '../pipelines/pipelines.queries.ts';
import { badgeAnswer } from './badge.ts';
import { newestCoverage, newestUnskipped } from './badges.queries.ts';

const colors: Readonly<Record<string, string>> = {
  success: '#4c1',
  failed: '#e05d44',
  running: '#dfb317',
  pending: '#dfb317',
  preparing: '#a7a7a7',
  canceled: '#9f9f9f',
  skipped: '#9f9f9f',
  created: '#9f9f9f',
};
const unknown = '#9f9f9f';
const words: Readonly<Record<string, string>> = { success: 'passed' };

type Query = Readonly<Record<string, unknown>>;

/** A percentage of the address between two bounds, else the one that counts without it. */
function percentage(text: unknown, least: number, most: number, fallback: number): number {
  const number = typeof text === 'string' && /^\d{1,3}(\.\d{1,2})?$/.test(text) ? Number(text) : Number.NaN;
  return number >= least && number <= most ? number : Math.min(fallback, most);
}

/** From which percentage on coverage is good, acceptable and medium; each below the one before. */
export function coverageColor(coverage: number, query: Query): string {
  const good = percentage(query.min_good, 3, 100, 95);
  const acceptable = percentage(query.min_acceptable, 2, good - 0.01, 90);
  const medium = percentage(query.min_medium, 1, acceptable - 0.01, 75);
  if (coverage >= good) return '#4c1';
  if (coverage >= acceptable) return '#a3c51c';
  return coverage >= medium ? '#dfb317' : '#e05d44';
}

export function badgeFile({ db }: Pick<CiDependencies, 'db'>): PageFile {
  async function stateOf(projectId: number, ref: string, ignoreSkipped: boolean) {
    const pipeline = ignoreSkipped
      ? await newestUnskipped(db, projectId, ref)
      : await newestPipeline(db, projectId, { ref });
    const status = pipeline?.status ?? 'unknown';
    return { key: 'pipeline', value: words[status] ?? status, color: colors[status] ?? unknown };
  }
  async function coverageOf(projectId: number, ref: string, query: Query) {
    const job = typeof query.job === 'string' ? query.job : undefined;
    const coverage = await newestCoverage(db, projectId, ref, job);
    if (coverage === null) return { key: 'coverage', value: 'unknown', color: unknown };
    return { key: 'coverage', value: `${coverage.toFixed(2)}%`, color: coverageColor(coverage, query) };
  }
  return {
    name: 'badge',
    pattern: /^badges\/(?<ref>.+)\/(?<kind>pipeline|coverage)\.svg$/,
    withoutDash: true,
    ability: 'read_pipeline',
    async handler({ subject, params, query }) {
      const { ref = '', kind } = params;
      const found =
        kind === 'pipeline'
          ? await stateOf(subject.project.id, ref, query.ignore_skipped === 'true')
          : await coverageOf(subject.project.id, ref, query);
      return badgeAnswer(found, query);
    },
  };
}
