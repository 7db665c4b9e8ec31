/** Why jobs of a pipeline do not start: those that no runner can take, that wait for a resource, or behind others. */
import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../lib/api.ts';
import { awaitsTurn } from '../../lib/ci.ts';
import { RunnersLink } from '../jobs/RunnersLink.tsx';
import { useProject } from '../projects/useProject.ts';

type Job = Schemas['Job'];

/** Reasons are asked for once per set of tags: jobs with the same ones wait for the same. */
const mostReasons = 3;

interface Group {
  readonly id: number;
  readonly name: string;
  readonly others: number;
}

function alike(jobs: readonly Job[]): Group[] {
  const groups = Map.groupBy(jobs.filter(awaitsTurn), ({ id, status, tag_list: tags }) =>
    status === 'pending' ? tags.toSorted().join('\n') : `\n${id}`,
  );
  return [...groups.values()]
    .flatMap(([first, ...others]) => (first ? [{ id: first.id, name: first.name, others: others.length }] : []))
    .slice(0, mostReasons);
}

function Waiting({ of: { id, name, others } }: { of: Group }) {
  const { parts, segment } = useProject();
  const { data: job } = useQuery(parts.job(id));
  const queued = job?.waiting?.reason === 'resource_group' || (job?.waiting?.jobs_ahead ?? 0) > 0;
  if (!job?.waiting || !(job.stuck || queued)) return null;
  return (
    <Alert
      variant="light"
      mb="md"
      {...(job.stuck
        ? { color: 'yellow', title: others === 0 ? 'No runner can take this job' : 'No runner can take these jobs' }
        : {})}
    >
      <Link to="/p/$path/jobs/$id" params={{ path: segment, id: String(id) }} style={{ textDecoration: 'underline' }}>
        {name}
      </Link>
      {others === 0 ? '' : others === 1 ? ' and 1 other job' : ` and ${others} other jobs`}: {job.waiting.message}.{' '}
      {job.stuck ? <RunnersLink /> : null}
    </Alert>
  );
}

export const WaitingJobs = ({ jobs }: { jobs: readonly Job[] }) =>
  alike(jobs).map((group) => <Waiting key={group.id} of={group} />);
