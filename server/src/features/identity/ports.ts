/** What accounts need of later domains. */
import type { Db } from '../../kernel/db/index.ts';
import { onePort } from '../../kernel/ports.ts';

export interface FailedPipelines {
  /** How many failed pipelines of the user nothing has replaced since. */
  count(db: Db, userId: number): Promise<number>;
}

export interface Announcements {
  /** Whether administrators tell everybody something now. */
  active(db: Db): Promise<boolean>;
}

export const announcements = onePort<Announcements>('announcements to everybody');
export const failedPipelines = onePort<FailedPipelines>('failed pipelines of a user');
