/** Which jobs of a pipeline failed, each with its reason: what whoever comes because of a failure looks for first. */
import { Alert } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../lib/api.ts';
import { useProject } from '../projects/useProject.ts';
import { latestJobs } from './graph.ts';
import classes from './pipelines.module.css';
import { failures } from './words.ts';

type Failing = Schemas['Job'] | Schemas['Bridge'];

/** Jobs that are listed; more are counted. */
const most = 10;

const why = (job: Failing): string => {
  const reason = failures[job.failure_reason ?? ''] ?? job.failure_reason ?? '';
  const code = 'exit_code' in job && typeof job.exit_code === 'number' ? ` Exit code ${job.exit_code}.` : '';
  const errors = job.downstream_errors ? ` ${job.downstream_errors.join(' ')}` : '';
  return `${reason}${errors}${code}`;
};

interface FailedJobsProps {
  readonly pipelineId: number;
  readonly jobs: readonly Schemas['Job'][];
  readonly bridges: readonly Schemas['Bridge'][];
}

export function FailedJobs({ pipelineId, jobs, bridges }: FailedJobsProps) {
  const { segment } = useProject();
  const own = [...bridges, ...jobs].filter((job) => job.pipeline.id === pipelineId);
  const failed = latestJobs<Failing>(own, []).filter((job) => job.status === 'failed' && !job.allow_failure);
  if (failed.length === 0) return null;
  return (
    <Alert
      color="red"
      variant="light"
      mb="md"
      title={failed.length === 1 ? '1 job failed' : `${failed.length} jobs failed`}
    >
      <ul className={classes.failures} aria-label="Failed jobs">
        {failed.slice(0, most).map((job) => (
          <li key={job.id}>
            <Link to="/p/$path/jobs/$id" params={{ path: segment, id: String(job.id) }}>
              {job.name}
            </Link>{' '}
            ({job.stage}): {why(job)}
          </li>
        ))}
      </ul>
      {failed.length > most ? `${failed.length - most} more` : null}
    </Alert>
  );
}
