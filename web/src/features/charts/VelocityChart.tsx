/** Velocity of a cadence: what its iterations committed to and completed, the oldest on the left. */
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { iterationName } from '../../lib/planning.ts';
import type { Measure, Velocity } from '../../lib/reports.ts';
import classes from './charts.module.css';
import { ceiling, ticksOf } from './lines.ts';

const height = 160;
const step = 72;
const left = 40;

export function VelocityChart({ velocity }: { velocity: readonly Velocity[] }) {
  const [measure, setMeasure] = useState<Measure>('weight');
  const shown = velocity.toReversed();
  const top = ceiling(Math.max(...shown.flatMap((each) => [each.committed[measure], each.completed[measure]])));
  const y = (value: number) => 12 + (1 - value / top) * height;
  const average = shown.reduce((sum, each) => sum + each.completed[measure], 0) / Math.max(1, shown.length);
  const unit = measure === 'count' ? 'issues' : 'weight';
  const summary = `${Math.round(average * 10) / 10} ${unit} completed per iteration on average`;
  return (
    <section aria-label="Velocity">
      <div className={classes.head}>
        <span>{summary}</span>
        <SegmentedControl
          size="xs"
          aria-label="Measure of velocity"
          data={[
            { value: 'weight', label: 'Weight' },
            { value: 'count', label: 'Issues' },
          ]}
          value={measure}
          onChange={(value) => setMeasure(value as Measure)}
        />
      </div>
      <figure className={classes.chart}>
        <figcaption>Velocity</figcaption>
        <svg
          viewBox={`0 0 ${Math.max(280, left + shown.length * step)} ${height + 36}`}
          style={{ maxWidth: Math.max(280, left + shown.length * step) }}
          role="img"
          aria-label={`Velocity: ${summary}`}
        >
          {ticksOf(top).map((value) => (
            <g key={value}>
              <line className={classes.grid} x1={left} x2={left + shown.length * step} y1={y(value)} y2={y(value)} />
              <text className={classes.tick} x={left - 6} y={y(value) + 4} textAnchor="end">
                {value}
              </text>
            </g>
          ))}
          {shown.map((each, at) => (
            <g key={each.iteration.id}>
              {(['committed', 'completed'] as const).map((look, second) => (
                <rect
                  key={look}
                  className={classes.bar}
                  data-look={look}
                  x={left + at * step + 8 + second * 26}
                  y={y(each[look][measure])}
                  width={22}
                  height={12 + height - y(each[look][measure])}
                >
                  <title>{`${iterationName(each.iteration)}: ${look} ${each[look][measure]} ${unit}`}</title>
                </rect>
              ))}
              <text className={classes.tick} x={left + at * step + 32} y={height + 28} textAnchor="middle">
                {each.iteration.iid}
              </text>
            </g>
          ))}
        </svg>
        <ul className={classes.legend}>
          <li>
            <span className={classes.swatch} data-look="committed" aria-hidden />
            Committed
          </li>
          <li>
            <span className={classes.swatch} data-look="completed" aria-hidden />
            Completed
          </li>
        </ul>
      </figure>
    </section>
  );
}
