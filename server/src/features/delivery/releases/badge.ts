/** `/-/badges/release.svg`: the newest release of a project as a picture for readme files. */
import type { Db } from '../../../kernel/db/index.ts';
import type { PageFile } from '../../../kernel/http/page-files.ts';
import { badgeAnswer } from '../../ci/index.ts';
import { newestReleaseTag, type ReleaseOrder } from './releases.queries.ts';

/** The default, and the spelling that existing addresses have. */
const orders: Readonly<Record<string, ReleaseOrder>> = {
  released_at: 'released_at',
  release_at: 'released_at',
  created_at: 'created_at',
};

export const releaseBadge = (db: Db): PageFile => ({
  name: 'release badge',
  pattern: /^badges\/release\.svg$/,
  ability: 'read_release',
  async handler({ subject, query }) {
    const order = typeof query.order_by === 'string' ? orders[query.order_by] : undefined;
    const tag = await newestReleaseTag(db, subject.project.id, order ?? 'released_at');
    const found = { key: 'Latest Release', value: tag ?? 'none', color: tag === null ? '#e05d44' : '#3076af' };
    return badgeAnswer(found, query);
  },
});
