/** What stands around the lines and bars of a chart by day: values on the left, the first and the last day below. */
import classes from './charts.module.css';
import { type Frame, scaleOf, shortDay } from './lines.ts';

interface Props {
  readonly frame: Frame;
  readonly first: string;
  readonly last: string;
  readonly top: number;
  /** Values that get a line, the last of them at the top. */
  readonly ticks: readonly number[];
  label?(value: number): string;
}

export function Axes({ frame, first, last, top, ticks, label = String }: Props) {
  const scale = scaleOf(frame, first, last, top);
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <line
            className={classes.grid}
            x1={frame.left}
            x2={frame.width - frame.right}
            y1={scale.y(tick)}
            y2={scale.y(tick)}
          />
          <text className={classes.tick} x={frame.left - 6} y={scale.y(tick) + 4} textAnchor="end">
            {label(tick)}
          </text>
        </g>
      ))}
      <text className={classes.tick} x={frame.left} y={frame.height - 8}>
        {shortDay(first)}
      </text>
      <text className={classes.tick} x={frame.width - frame.right} y={frame.height - 8} textAnchor="end">
        {shortDay(last)}
      </text>
    </>
  );
}
