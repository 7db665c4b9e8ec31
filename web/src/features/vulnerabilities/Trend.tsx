/** How many vulnerabilities were open on each of the last days, drawn. */
import type { Schemas } from '../../lib/api.ts';
import classes from '../charts/charts.module.css';
import { ceiling, type Frame, pathOf, scaleOf } from '../charts/lines.ts';

const frame: Frame = { width: 560, height: 160, left: 44, right: 12, top: 12, bottom: 28 };
const shortDay = (date: string) =>
  new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });

export function Trend({ days }: { days: Schemas['VulnerabilityTrend']['days'] }) {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return null;
  const top = ceiling(Math.max(...days.map(({ total }) => total)));
  const scale = scaleOf(frame, first.date, last.date, top);
  const change = last.total - first.total;
  const words = `${last.total} open, ${change === 0 ? 'as many as' : `${Math.abs(change)} ${change > 0 ? 'more' : 'fewer'} than`} ${days.length} days ago`;
  return (
    <figure className={classes.chart} style={{ maxWidth: 720 }}>
      <figcaption>{words}</figcaption>
      <svg viewBox={`0 0 ${frame.width} ${frame.height}`} role="img" aria-label={`Open vulnerabilities: ${words}`}>
        {[0, top].map((value) => (
          <g key={value}>
            <line
              className={classes.grid}
              x1={frame.left}
              x2={frame.width - frame.right}
              y1={scale.y(value)}
              y2={scale.y(value)}
            />
            <text className={classes.tick} x={frame.left - 6} y={scale.y(value) + 4} textAnchor="end">
              {value}
            </text>
          </g>
        ))}
        <text className={classes.tick} x={frame.left} y={frame.height - 8}>
          {shortDay(first.date)}
        </text>
        <text className={classes.tick} x={frame.width - frame.right} y={frame.height - 8} textAnchor="end">
          {shortDay(last.date)}
        </text>
        <path
          className={classes.line}
          data-look="remaining"
          d={pathOf(days.map(({ date, total }) => [scale.x(date), scale.y(total)]))}
        />
      </svg>
    </figure>
  );
}
