/** The picture of a pipeline: jobs by stage or by needs with their states, and what waits for what. */
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { duration } from '../../lib/time.ts';
import { projectSegment } from '../../lib/urls.ts';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { type Columns, layoutGraph, size } from './graph.ts';
import classes from './pipelines.module.css';

type Job = Schemas['Job'];
type Bridge = Schemas['Bridge'];

interface PipelineGraphProps {
  jobs: readonly Job[];
  bridges: readonly Bridge[];
  places: readonly Schemas['JobNeeds'][];
  by: Columns;
  /** For readers of the screen; several graphs may be on one page. */
  label: string;
}

function Box({ job, x, y }: { job: Job | Bridge; x: number; y: number }) {
  const started = 'downstream_pipeline' in job ? job.downstream_pipeline : null;
  const target = started ?? job;
  return (
    <Link
      to={started ? '/p/$path/pipelines/$id' : '/p/$path/jobs/$id'}
      params={{ path: projectSegment(target.web_url), id: String(target.id) }}
      className={classes.job}
      data-bridge={'downstream_pipeline' in job || undefined}
      style={{ left: x, top: y, width: size.width, height: size.height }}
      data-entry
    >
      <StatusBadge status={job.status === 'failed' && job.allow_failure ? 'warning' : job.status} compact />
      <span className={classes.jobName}>{job.name}</span>
      <span className={classes.jobTime}>
        {started ? `#${started.id}` : job.duration === null ? '' : duration(job.duration)}
      </span>
    </Link>
  );
}

export function PipelineGraph({ jobs, bridges, places, by, label }: PipelineGraphProps) {
  const graph = useMemo(
    () => layoutGraph<Job | Bridge>([...jobs, ...bridges], places, by),
    [jobs, bridges, places, by],
  );
  return (
    <div className={classes.graph} tabIndex={0} role="region" aria-label={label}>
      <div className={classes.canvas} style={{ width: graph.width, height: graph.height }}>
        <svg width={graph.width} height={graph.height} className={classes.edges} aria-hidden="true">
          {graph.edges.map((edge) => (
            <path key={edge.key} d={edge.path} />
          ))}
        </svg>
        {graph.columns.map(({ stage, x }) =>
          stage === null ? null : (
            <h2 key={stage} className={classes.stage} style={{ left: x, width: size.width }}>
              {stage}
            </h2>
          ),
        )}
        {graph.boxes.map((box) => (
          <Box key={box.job.name} {...box} />
        ))}
      </div>
    </div>
  );
}
