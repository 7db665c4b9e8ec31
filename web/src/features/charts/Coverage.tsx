/** How the coverage of a branch went, of one group of jobs at a time. */
import { Anchor, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { coverageHistory, statisticsDays } from '../../lib/merge-request-reports.ts';
import { Axes } from './Axes.tsx';
import classes from './charts.module.css';
import { type Frame, pathOf, scaleOf, shortDay } from './lines.ts';

interface Props {
  readonly path: string;
  readonly projectId: number;
  readonly search: { readonly days?: number | undefined; readonly ref?: string | undefined };
  readonly frame: Frame;
}

/** Nothing where no job measures it. */
export function Coverage({ path, projectId, search, frame }: Props) {
  const { data } = useQuery(coverageHistory(path, search));
  const [chosen, choose] = useState<string | null>(null);
  const group = data?.groups.find(({ name }) => name === chosen) ?? data?.groups[0];
  if (!data || !group) return null;
  const scale = scaleOf(frame, data.from, data.to, 100);
  const last = group.days.at(-1);
  const query = new URLSearchParams({
    days: String(search.days ?? statisticsDays),
    ...(search.ref ? { ref: search.ref } : {}),
  });
  return (
    <figure className={classes.chart}>
      <figcaption className={classes.captioned}>
        Coverage of {data.ref}
        {data.groups.length > 1 ? (
          <NativeSelect
            aria-label="Job"
            size="xs"
            value={group.name}
            onChange={(event) => choose(event.currentTarget.value)}
            data={data.groups.map(({ name }) => name)}
          />
        ) : null}
      </figcaption>
      <svg
        viewBox={`0 0 ${frame.width} ${frame.height}`}
        role="img"
        aria-label={`Coverage of ${group.name} by day: ${last?.coverage ?? 0} % on ${shortDay(last?.date ?? data.to)}`}
      >
        <Axes
          frame={frame}
          first={data.from}
          last={data.to}
          top={100}
          ticks={[0, 50, 100]}
          label={(value) => `${value} %`}
        />
        <path
          className={classes.line}
          data-look="completed"
          d={pathOf(group.days.map(({ date, coverage }) => [scale.x(date), scale.y(coverage)]))}
        />
        {group.days.map(({ date, coverage }) => (
          <circle
            key={date}
            className={classes.point}
            data-look="completed"
            cx={scale.x(date)}
            cy={scale.y(coverage)}
            r={3}
          >
            <title>{`${shortDay(date)}: ${coverage} %`}</title>
          </circle>
        ))}
      </svg>
      <div className={classes.legend}>
        <span>
          {group.name}: {last?.coverage} %
        </span>
        <Anchor href={`/api/v4/projects/${projectId}/pipelines/coverage/csv?${query}`} download size="sm">
          Download CSV
        </Anchor>
      </div>
    </figure>
  );
}
