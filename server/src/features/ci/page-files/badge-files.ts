/** `/badges/REF/pipeline.svg` and `coverage.svg`: the state of a branch as a picture for readme files. */
import { Readable } from 'node:stream';
import type { PageFile } from '../../../kernel/http/page-files.ts';
import { streamed } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { newestPipeline } from '../pipelines/pipelines.queries.ts';
import { badgeSvg } from './badge.ts';
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

/** From which percentage on coverage is good, acceptable and so on. */
const coverageColors = [
  [95, '#4c1'],
  [90, '#a3c51c'],
  [75, '#dfb317'],
  [0, '#e05d44'],
] as const;

const integer = (text: unknown, most: number): number | undefined => {
  const number = typeof text === 'string' && /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= most ? number : undefined;
};

export function badgeFile({ db }: Pick<CiDependencies, 'db'>): PageFile {
  async function stateOf(projectId: number, ref: string, ignoreSkipped: boolean) {
    const pipeline = ignoreSkipped
      ? await newestUnskipped(db, projectId, ref)
      : await newestPipeline(db, projectId, { ref });
    const status = pipeline?.status ?? 'unknown';
    return { key: 'pipeline', value: words[status] ?? status, color: colors[status] ?? unknown };
  }
  async function coverageOf(projectId: number, ref: string, job: string | undefined) {
    const coverage = await newestCoverage(db, projectId, ref, job);
    if (coverage === null) return { key: 'coverage', value: 'unknown', color: unknown };
    const color = coverageColors.find(([from]) => coverage >= from)?.[1] ?? unknown;
    return { key: 'coverage', value: `${coverage.toFixed(2)}%`, color };
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
          : await coverageOf(subject.project.id, ref, typeof query.job === 'string' ? query.job : undefined);
      const key = typeof query.key_text === 'string' && query.key_text !== '' ? query.key_text : found.key;
      const svg = badgeSvg({ ...found, key, keyWidth: integer(query.key_width, 512) });
      return streamed(Readable.from([svg]), 'image/svg+xml', {
        // Proxies of readme files keep what nobody forbids them to keep.
        'Cache-Control': 'private, no-store',
        'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      });
    },
  };
}
