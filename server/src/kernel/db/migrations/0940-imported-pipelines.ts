/** Pipelines of archives: a history without what their jobs were to do, so nothing of them runs again. */
import type { Migration } from './index.ts';

export const importedPipelinesMigration: Migration = {
  name: '0940-imported-pipelines',
  statements: ['alter table pipelines add column imported boolean not null default false'],
};
