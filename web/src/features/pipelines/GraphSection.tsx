/** The graph of a pipeline by stages or needs, and the graphs of the pipelines that it started. */
import { Button, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { of } from '../../lib/data.ts';
import { sessionQuery } from '../../lib/session.ts';
import { fromSegment, projectSegment } from '../../lib/urls.ts';
import { useLive } from '../../lib/useLive.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { type Columns, firstOfStages } from './graph.ts';
import { PipelineGraph } from './PipelineGraph.tsx';
import classes from './pipelines.module.css';

type Started = NonNullable<Schemas['Bridge']['downstream_pipeline']>;

/** The graph of a pipeline that another one started, live, with those that it started itself. */
function StartedGraph({ pipeline, by }: { pipeline: Started; by: Columns }) {
  const path = fromSegment(projectSegment(pipeline.web_url));
  const parts = of(path);
  const jobs = useQuery(parts.pipelineJobs(pipeline.id));
  const bridges = useQuery(parts.pipelineBridges(pipeline.id));
  const places = useQuery(parts.pipelineNeeds(pipeline.id));
  useLive([`pipeline:${pipeline.id}`], [['project', path, 'pipeline', pipeline.id]]);
  const error = jobs.error ?? bridges.error ?? places.error;
  if (error) return <FormError error={error} />;
  if (!jobs.data || !bridges.data || !places.data) return null;
  return <Graphs pipelineId={pipeline.id} jobs={jobs.data} bridges={bridges.data} places={places.data} by={by} />;
}

function StartedRow({ bridge, by }: { bridge: Schemas['Bridge']; by: Columns }) {
  const [opened, setOpened] = useState(false);
  const pipeline = bridge.downstream_pipeline;
  if (!pipeline) return null;
  const segment = projectSegment(pipeline.web_url);
  return (
    <>
      <DataRow
        before={<StatusBadge status={pipeline.status} compact />}
        title={
          <Link to="/p/$path/pipelines/$id" params={{ path: segment, id: String(pipeline.id) }} data-entry>
            {bridge.name}
          </Link>
        }
        meta={
          <>
            <span>#{pipeline.id}</span>
            <span>{fromSegment(segment)}</span>
          </>
        }
        after={
          <Button
            size="xs"
            variant="default"
            aria-expanded={opened}
            aria-label={`${opened ? 'Hide' : 'Show'} jobs of ${bridge.name}`}
            onClick={() => setOpened(!opened)}
          >
            {opened ? 'Hide jobs' : 'Show jobs'}
          </Button>
        }
      />
      {opened ? (
        <li className={classes.child}>
          <StartedGraph pipeline={pipeline} by={by} />
        </li>
      ) : null}
    </>
  );
}

interface GraphsProps {
  readonly pipelineId: number;
  readonly jobs: readonly Schemas['Job'][];
  readonly bridges: readonly Schemas['Bridge'][];
  readonly places: readonly Schemas['JobNeeds'][];
  readonly by: Columns;
}

function Graphs({ pipelineId, jobs, bridges, places, by }: GraphsProps) {
  // The list of jobs has those of child pipelines, too.
  const own = useMemo(() => jobs.filter((job) => job.pipeline.id === pipelineId), [jobs, pipelineId]);
  const started = bridges.filter((bridge) => bridge.downstream_pipeline !== null);
  const { data: session } = useQuery(sessionQuery);
  const [whole, setWhole] = useState(false);
  const most = session?.pages.jobs_per_stage ?? own.length;
  const first = useMemo(() => firstOfStages(own, most), [own, most]);
  const shown = whole ? own : first;
  return (
    <>
      {shown.length < own.length ? (
        <Button size="xs" variant="default" mb="sm" onClick={() => setWhole(true)}>
          Show {own.length - shown.length} more jobs
        </Button>
      ) : null}
      <PipelineGraph
        jobs={shown}
        bridges={bridges}
        places={places}
        by={by}
        label={`Graph of jobs of pipeline #${pipelineId}`}
      />
      {started.length > 0 ? (
        <section aria-label={`Downstream pipelines of #${pipelineId}`} className={classes.started}>
          <h2 className={classes.externalTitle}>Downstream pipelines</h2>
          <DataList label={`Downstream pipelines of #${pipelineId}`}>
            {started.map((bridge) => (
              <StartedRow key={bridge.id} bridge={bridge} by={by} />
            ))}
          </DataList>
        </section>
      ) : null}
    </>
  );
}

/** The graphs with the choice of their columns, which stands in the address. */
export function GraphSection(props: Omit<GraphsProps, 'by'>) {
  const { graph } = useSearch({ strict: false });
  const navigate = useNavigate();
  const by = graph === 'needs' ? 'needs' : 'stage';
  return (
    <>
      <SegmentedControl
        size="xs"
        mb="sm"
        aria-label="Group jobs by"
        value={by}
        onChange={(next) =>
          void navigate({ to: '.', search: { graph: next === 'needs' ? 'needs' : undefined }, replace: true })
        }
        data={[
          { value: 'stage', label: 'By stage' },
          { value: 'needs', label: 'By needs' },
        ]}
      />
      <Graphs {...props} by={by} />
    </>
  );
}
