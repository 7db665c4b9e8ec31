/** Facts about pipelines and jobs. */
import Type from 'typebox';
import { defineFact, defineFacts, type Fact, payload } from '../fact.ts';

/** `status` is that of the moment. */
export const pipelineFacts = defineFacts(
  'pipeline',
  ['created', 'changed', 'finished'],
  payload({ pipeline_id: Type.Integer(), status: Type.String() }),
);
export const jobFinished = defineFact(
  'job.finished',
  payload({
    job_id: Type.Integer(),
    pipeline_id: Type.Integer(),
    status: Type.String(),
    /** Whether it left reports; not known of jobs that ended before this was noted. */
    reports: Type.Optional(Type.Boolean()),
    /** Whether it has a log, likewise. */
    logged: Type.Optional(Type.Boolean()),
  }),
);
/** Whether there may be reports to read of a job that has ended. */
export const hasReports = ({ payload: { reports } }: Fact<typeof jobFinished>): boolean => reports !== false;

export const ciFacts = [...Object.values(pipelineFacts), jobFinished] as const;
