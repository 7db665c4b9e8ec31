/** Facts of a job, its artifacts, and the other jobs of its stage. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../lib/api.ts';
import { bytes, duration } from '../../lib/time.ts';
import { LinkButton } from '../../ui/links.ts';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { latestJobs } from '../pipelines/graph.ts';
import { level, useProject } from '../projects/useProject.ts';
import classes from './log.module.css';

export function JobSide({ job }: { job: Schemas['Job'] }) {
  const { project, parts, segment, level: own } = useProject();
  const { data: jobs = [] } = useQuery(parts.pipelineJobs(job.pipeline.id));
  const { data: places = [] } = useQuery(parts.pipelineNeeds(job.pipeline.id));
  const base = `/api/v4/projects/${project.id}/jobs/${job.id}`;
  const reports = job.artifacts.filter(
    (artifact) =>
      artifact.file_type !== 'trace' && artifact.file_type !== 'metadata' && artifact.file_type !== 'archive',
  );
  return (
    <aside className={classes.side} aria-label="About this job">
      <dl>
        <dt>Stage</dt>
        <dd>{job.stage}</dd>
        {job.duration === null ? null : (
          <>
            <dt>Duration</dt>
            <dd>{duration(job.duration)}</dd>
          </>
        )}
        {job.queued_duration === null ? null : (
          <>
            <dt>Queued</dt>
            <dd>{duration(job.queued_duration)}</dd>
          </>
        )}
        {job.finished_at ? (
          <>
            <dt>Finished</dt>
            <dd>
              <TimeAgo at={job.finished_at} />
            </dd>
          </>
        ) : null}
        {job.runner ? (
          <>
            <dt>Runner</dt>
            <dd>
              {own >= level.maintainer ? (
                <Link to="/p/$path/runners/$id" params={{ path: segment, id: String(job.runner.id) }}>
                  #{job.runner.id} {job.runner.description}
                </Link>
              ) : (
                `#${job.runner.id} ${job.runner.description}`
              )}
            </dd>
          </>
        ) : null}
        {job.coverage === null ? null : (
          <>
            <dt>Coverage</dt>
            <dd>{job.coverage} %</dd>
          </>
        )}
        {job.tag_list.length === 0 ? null : (
          <>
            <dt>Tags</dt>
            <dd>{job.tag_list.join(', ')}</dd>
          </>
        )}
      </dl>
      {job.artifacts_file || reports.length > 0 ? (
        <section>
          <h2>Artifacts</h2>
          <ul>
            {job.artifacts_file ? (
              <li>
                <a href={`${base}/artifacts`} download>
                  {job.artifacts_file.filename}
                </a>{' '}
                {bytes(job.artifacts_file.size)}{' '}
                <Link to="/p/$path/jobs/$id/artifacts/browse" params={{ path: segment, id: String(job.id) }}>
                  Browse
                </Link>
              </li>
            ) : null}
            {reports.map((artifact) => (
              <li key={artifact.file_type}>
                {artifact.file_type} report, {bytes(artifact.size)}
              </li>
            ))}
          </ul>
          {job.artifacts_expire_at ? (
            <span>
              Expires <TimeAgo at={job.artifacts_expire_at} />
            </span>
          ) : null}
        </section>
      ) : null}
      <section>
        <h2>Jobs in {job.stage}</h2>
        <ul className={classes.stage}>
          {latestJobs(
            // Those of its children have stages of their own.
            jobs.filter((each) => each.stage === job.stage && each.pipeline.id === job.pipeline.id),
            places,
          ).map((each) => (
            <li key={each.id}>
              <StatusBadge status={each.status === 'failed' && each.allow_failure ? 'warning' : each.status} compact />
              <Link
                to="/p/$path/jobs/$id"
                params={{ path: segment, id: String(each.id) }}
                aria-current={each.id === job.id ? 'page' : undefined}
              >
                {each.name}
              </Link>
            </li>
          ))}
        </ul>
      </section>
      <div>
        <LinkButton to="/p/$path/pipelines/$id" params={{ path: segment, id: String(job.pipeline.id) }}>
          View pipeline
        </LinkButton>
      </div>
    </aside>
  );
}
