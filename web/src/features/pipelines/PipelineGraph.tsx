/** The picture of a pipeline: jobs by stage with their states, and what waits for what. */
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { duration } from '../../lib/time.ts';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { useProject } from '../projects/useProject.ts';
import { layoutGraph, size } from './graph.ts';
import classes from './pipelines.module.css';

interface PipelineGraphProps {
  jobs: readonly Schemas['Job'][];
  places: readonly Schemas['JobNeeds'][];
}

export function PipelineGraph({ jobs, places }: PipelineGraphProps) {
  const { segment } = useProject();
  const graph = useMemo(() => layoutGraph(jobs, places), [jobs, places]);
  return (
    <div className={classes.graph} tabIndex={0} role="region" aria-label="Graph of jobs">
      <div className={classes.canvas} style={{ width: graph.width, height: graph.height }}>
        <svg width={graph.width} height={graph.height} className={classes.edges} aria-hidden="true">
          {graph.edges.map((edge) => (
            <path key={edge.key} d={edge.path} />
          ))}
        </svg>
        {graph.columns.map((column) => (
          <h2 key={column.stage} className={classes.stage} style={{ left: column.x, width: size.width }}>
            {column.stage}
          </h2>
        ))}
        {graph.boxes.map(({ job, x, y }) => (
          <Link
            key={job.name}
            to="/p/$path/jobs/$id"
            params={{ path: segment, id: String(job.id) }}
            className={classes.job}
            style={{ left: x, top: y, width: size.width, height: size.height }}
            data-entry
          >
            <StatusBadge status={job.status === 'failed' && job.allow_failure ? 'warning' : job.status} compact />
            <span className={classes.jobName}>{job.name}</span>
            <span className={classes.jobTime}>{job.duration === null ? '' : duration(job.duration)}</span>
          </Link>
        ))}
      </div>
    </div>
  );
}
