/** Failed pipelines are found by who started them without looking at those that passed. */
import type { Migration } from './index.ts';

const found = "create index pipelines_failed_user on pipelines (user_id, id desc) where status = 'failed';";

export const failedPipelinesMigration: Migration = { name: '0600-failed-pipelines', statements: [found] };
