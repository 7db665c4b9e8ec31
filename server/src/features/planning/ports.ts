/** What planning needs of later domains. */
import type { Db } from '../../kernel/db/index.ts';
import { everyPort } from '../../kernel/ports.ts';

/** Whoever keeps something about single issues. */
export interface IssueFollower {
  /** An issue goes on as another one, in another project. Part of the transaction. */
  issueMoved(tx: Db, from: number, to: number): Promise<void>;
}

export const issueFollowers = everyPort<IssueFollower>('what is kept about issues');
