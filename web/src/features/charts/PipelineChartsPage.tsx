/** Statistics of pipelines: how many succeed, how long they take, and what they cover, by day. */
import { NativeSelect } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Schemas } from '../../lib/api.ts';
import { pipelineStatistics, statisticsDays } from '../../lib/merge-request-reports.ts';
import { duration } from '../../lib/time.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { Page } from '../../ui/Page.tsx';
import { useProject } from '../projects/useProject.ts';
import { Axes } from './Axes.tsx';
import { Coverage } from './Coverage.tsx';
import classes from './charts.module.css';
import { ceiling, durationAxis, type Frame, pathOf, scaleOf, shortDay, ticksOf } from './lines.ts';

type Statistics = Schemas['PipelineStatistics'];

const frame: Frame = { width: 560, height: 240, left: 56, right: 20, top: 12, bottom: 28 };

const outcomes = [
  ['success', 'Passed'],
  ['failed', 'Failed'],
  ['other', 'Other'],
] as const;

/** A bar for each day, from what passed below to the rest above. */
function Outcomes({ data }: { data: Statistics }) {
  const top = ceiling(Math.max(...data.days.map(({ total }) => total)));
  const span = Math.max(1, (Date.parse(data.to) - Date.parse(data.from)) / 86_400_000);
  const width = Math.max(2, Math.min(18, ((frame.width - frame.left - frame.right) / (span + 1)) * 0.8));
  // The first and the last bar stand within the axis, too.
  const inner = { ...frame, left: frame.left + width / 2, right: frame.right + width / 2 };
  const scale = scaleOf(inner, data.from, data.to, top);
  return (
    <figure className={classes.chart}>
      <figcaption>Pipelines</figcaption>
      <svg
        viewBox={`0 0 ${frame.width} ${frame.height}`}
        role="img"
        aria-label={`Pipelines by day: ${data.success} passed, ${data.failed} failed, ${data.other} other`}
      >
        <Axes frame={frame} first={data.from} last={data.to} top={top} ticks={ticksOf(top)} />
        {data.days.map((day) => {
          let below = 0;
          return outcomes.map(([outcome, word]) => {
            const count = day[outcome];
            const y = scale.y(below + count);
            const height = scale.y(below) - y;
            below += count;
            return count === 0 ? null : (
              <rect
                key={`${day.date} ${outcome}`}
                className={classes.bar}
                data-look={outcome}
                x={scale.x(day.date) - width / 2}
                y={y}
                width={width}
                height={height}
              >
                <title>{`${shortDay(day.date)}: ${count} ${word.toLowerCase()}`}</title>
              </rect>
            );
          });
        })}
      </svg>
      <ul className={classes.legend}>
        {outcomes.map(([outcome, word]) => (
          <li key={outcome}>
            <span className={classes.swatch} data-look={outcome} aria-hidden />
            {word}
          </li>
        ))}
      </ul>
    </figure>
  );
}

const durations = [
  ['scope', 'median_duration', 'Median'],
  ['guideline', 'p95_duration', '95th percentile'],
] as const;

function Durations({ data }: { data: Statistics }) {
  const values = data.days.flatMap((day) => durations.map(([, name]) => day[name] ?? 0));
  const { top, ticks, label } = durationAxis(Math.max(...values));
  const scale = scaleOf(frame, data.from, data.to, top);
  const summary = durations
    .map(([, name, word]) => `${word} ${data[name] === null ? 'unknown' : duration(data[name])}`)
    .join(', ');
  return (
    <figure className={classes.chart}>
      <figcaption>Duration</figcaption>
      <svg viewBox={`0 0 ${frame.width} ${frame.height}`} role="img" aria-label={`Duration by day: ${summary}`}>
        <Axes frame={frame} first={data.from} last={data.to} top={top} ticks={ticks} label={label} />
        {durations.map(([look, name, word]) => {
          const points = data.days.flatMap((day) => (day[name] === null ? [] : [[day.date, day[name]] as const]));
          return (
            <g key={name}>
              <path
                className={classes.line}
                data-look={look}
                d={pathOf(points.map(([date, value]) => [scale.x(date), scale.y(value)]))}
              />
              {points.map(([date, value]) => (
                <circle
                  key={date}
                  className={classes.point}
                  data-look={look}
                  cx={scale.x(date)}
                  cy={scale.y(value)}
                  r={3}
                >
                  <title>{`${shortDay(date)}: ${word} ${duration(value)}`}</title>
                </circle>
              ))}
            </g>
          );
        })}
      </svg>
      <ul className={classes.legend}>
        {durations.map(([look, name, word]) => (
          <li key={name}>
            <span className={classes.swatch} data-look={look} aria-hidden />
            {word}
          </li>
        ))}
      </ul>
    </figure>
  );
}

export default function PipelineChartsPage() {
  const search = useSearch({ from: '/p/$path/pipelines/charts' });
  const navigate = useNavigate({ from: '/p/$path/pipelines/charts' });
  const { project, path } = useProject();
  const { data } = useSuspenseQuery(pipelineStatistics(path, search));
  const facts = [
    ['Pipelines', String(data.total)],
    ['Success rate', data.success_rate === null ? '–' : `${data.success_rate} %`],
    ['Median duration', data.median_duration === null ? '–' : duration(data.median_duration)],
    ['95th percentile', data.p95_duration === null ? '–' : duration(data.p95_duration)],
  ] as const;
  return (
    <Page title={`Pipeline charts · ${project.name_with_namespace}`} heading="Pipeline charts">
      <FilterBar
        label="Filter by branch or tag"
        value={search.ref ?? ''}
        change={(ref) => void navigate({ search: (before) => ({ ...before, ref: ref || undefined }), replace: true })}
      >
        <NativeSelect
          aria-label="Period"
          value={String(search.days ?? statisticsDays)}
          onChange={(event) => {
            const days = Number(event.currentTarget.value);
            void navigate({ search: (before) => ({ ...before, days }) });
          }}
          data={[
            { value: '7', label: 'Last 7 days' },
            { value: '30', label: 'Last 30 days' },
            { value: '90', label: 'Last 90 days' },
            { value: '366', label: 'Last year' },
          ]}
        />
      </FilterBar>
      {data.total === 0 ? (
        <EmptyState title="No pipelines in this period">Try a longer period or another branch.</EmptyState>
      ) : (
        <>
          <dl className={classes.facts}>
            {facts.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          <div className={classes.charts}>
            <Outcomes data={data} />
            <Durations data={data} />
            <Coverage path={path} projectId={project.id} search={search} frame={frame} />
          </div>
        </>
      )}
    </Page>
  );
}
