/** How many vulnerabilities were open on each of the last days, drawn. */
import type { Schemas } from '../../lib/api.ts';
import { Axes } from '../charts/Axes.tsx';
import classes from '../charts/charts.module.css';
import { ceiling, type Frame, pathOf, scaleOf } from '../charts/lines.ts';

const frame: Frame = { width: 560, height: 160, left: 44, right: 12, top: 12, bottom: 28 };

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
        <Axes frame={frame} first={first.date} last={last.date} top={top} ticks={[0, top]} />
        <path
          className={classes.line}
          data-look="remaining"
          d={pathOf(days.map(({ date, total }) => [scale.x(date), scale.y(total)]))}
        />
      </svg>
    </figure>
  );
}
