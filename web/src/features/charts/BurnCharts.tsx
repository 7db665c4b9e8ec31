/** Burndown and burnup of a milestone or iteration, drawn: by number of issues or by weight. */
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PlaceKind } from '../../lib/planning.ts';
import { type BurnupReport, burnupReport, type Measure } from '../../lib/reports.ts';
import { FormError } from '../../ui/FormError.tsx';
import { Axes } from './Axes.tsx';
import classes from './charts.module.css';
import { ceiling, type Frame, pathOf, scaleOf, shortDay, ticksOf } from './lines.ts';

const frame: Frame = { width: 560, height: 240, left: 44, right: 12, top: 12, bottom: 28 };

interface Line {
  readonly name: string;
  readonly look: 'scope' | 'completed' | 'remaining' | 'guideline';
  readonly points: ReadonlyArray<readonly [day: string, value: number]>;
}

function Chart({
  title,
  first,
  last,
  lines,
  unit,
}: {
  title: string;
  first: string;
  last: string;
  lines: readonly Line[];
  unit: string;
}) {
  const top = ceiling(Math.max(...lines.flatMap(({ points }) => points.map(([, value]) => value))));
  const scale = scaleOf(frame, first, last, top);
  const summary = lines
    .filter(({ look }) => look !== 'guideline')
    .map(({ name, points }) => `${name} ${points.at(-1)?.[1] ?? 0} ${unit}`)
    .join(', ');
  return (
    <figure className={classes.chart}>
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${frame.width} ${frame.height}`} role="img" aria-label={`${title}: ${summary}`}>
        <Axes frame={frame} first={first} last={last} top={top} ticks={ticksOf(top)} />
        {lines.map(({ look, points }) => (
          <path
            key={look}
            className={classes.line}
            data-look={look}
            d={pathOf(points.map(([day, value]) => [scale.x(day), scale.y(value)]))}
          />
        ))}
        {lines
          .filter(({ look }) => look !== 'guideline')
          .flatMap(({ look, name, points }) =>
            points.map(([day, value]) => (
              <circle
                key={`${look} ${day}`}
                className={classes.point}
                data-look={look}
                cx={scale.x(day)}
                cy={scale.y(value)}
                r={3}
              >
                <title>{`${shortDay(day)}: ${name} ${value} ${unit}`}</title>
              </circle>
            )),
          )}
      </svg>
      <ul className={classes.legend}>
        {lines.map(({ look, name }) => (
          <li key={look}>
            <span className={classes.swatch} data-look={look} aria-hidden />
            {name}
          </li>
        ))}
      </ul>
    </figure>
  );
}

function linesOf({ days, start_date: first, due_date: last }: BurnupReport, measure: Measure) {
  const points = (of: (day: BurnupReport['days'][number]) => number) => days.map((day) => [day.date, of(day)] as const);
  const most = Math.max(0, ...days.map((day) => day.scope[measure]));
  const ideal: Line = {
    name: 'Guideline',
    look: 'guideline',
    points:
      first && last
        ? [
            [first, most],
            [last, 0],
          ]
        : [],
  };
  const remaining = points((day) => day.scope[measure] - day.completed[measure]);
  return {
    burndown: [ideal, { name: 'Remaining', look: 'remaining', points: remaining }],
    burnup: [
      { name: 'Total', look: 'scope', points: points((day) => day.scope[measure]) },
      { name: 'Completed', look: 'completed', points: points((day) => day.completed[measure]) },
    ],
  } satisfies Record<string, Line[]>;
}

interface Props {
  readonly place: PlaceKind;
  readonly path: string;
  readonly kind: 'milestone' | 'iteration';
  readonly id: number;
}

export function BurnCharts({ place, path, kind, id }: Props) {
  const { data: report, error } = useQuery(burnupReport(place, path, kind, id));
  const [measure, setMeasure] = useState<Measure>('count');
  if (error) return <FormError error={error} />;
  if (!report) return <div className={classes.waiting} />;
  const { start_date: first, due_date: last, days, scope, completed } = report;
  const unit = measure === 'count' ? 'issues' : 'weight';
  return (
    <section aria-label="Charts">
      <div className={classes.head}>
        <span>
          {completed[measure]} of {scope[measure]} {unit} completed
        </span>
        <SegmentedControl
          size="xs"
          aria-label="Measure"
          data={[
            { value: 'count', label: 'Issues' },
            { value: 'weight', label: 'Weight' },
          ]}
          value={measure}
          onChange={(value) => setMeasure(value as Measure)}
        />
      </div>
      {first && last && days.length > 0 ? (
        <div className={classes.charts}>
          <Chart title="Burndown" {...{ first, last, unit }} lines={linesOf(report, measure).burndown} />
          <Chart title="Burnup" {...{ first, last, unit }} lines={linesOf(report, measure).burnup} />
        </div>
      ) : (
        <p className={classes.nothing}>
          {first && last ? 'Charts start on the first day.' : 'Set a start date and a due date to see charts.'}
        </p>
      )}
    </section>
  );
}
