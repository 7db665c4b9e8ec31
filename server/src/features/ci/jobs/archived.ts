/** Which jobs and pipelines are archived: nothing of them runs again. */
import { parseDuration } from '@millrace/ci-config';
import type { Pipeline } from '../../../kernel/db/rows.ts';
import type { CiDependencies } from '../deps.ts';

/** Whether a job, or what belongs to its pipeline, is archived. */
export type IsArchived = (pipeline: Pick<Pipeline, 'imported'>, of: { readonly created_at: Date }) => boolean;

/** They were imported without what their jobs were to do, or are older than `archive_builds_in_human_readable`. */
export async function archivedNow({ settings }: Pick<CiDependencies, 'settings'>): Promise<IsArchived> {
  const age = (await settings.read()).archive_builds_in_human_readable;
  const seconds = age === null ? null : parseDuration(age);
  const oldest = seconds === null ? Number.NEGATIVE_INFINITY : Date.now() - seconds * 1000;
  return ({ imported }, { created_at }) => imported || created_at.getTime() < oldest;
}
