/** What a job waits for, in a list. That of one to be started manually is its status. */
import type { Schemas } from '../../lib/api.ts';
import classes from './jobs.module.css';

export const WaitingReason = ({ job }: { job: Pick<Schemas['Job'], 'stuck' | 'waiting'> }) => (
  <span className={job.stuck ? classes.stuck : classes.reason}>{job.waiting?.message}</span>
);
