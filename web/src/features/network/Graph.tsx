/** The lines of a history beside its rows, which are all of one height. */

import { type Lane, widthOf } from './lanes.ts';
import classes from './network.module.css';

const rowHeight = 32;
const step = 14;
const x = (column: number) => step / 2 + 2 + column * step;
const y = (row: number) => rowHeight / 2 + row * rowHeight;
/** As many colours as can be told apart. */
const colours = 6;

/** Straight down, or in a curve to the other column. */
function path(row: number, from: number, to: number): string {
  if (from === to) return `M${x(from)} ${y(row)}V${y(row + 1)}`;
  const middle = y(row) + rowHeight / 2;
  return `M${x(from)} ${y(row)}C${x(from)} ${middle} ${x(to)} ${middle} ${x(to)} ${y(row + 1)}`;
}

export function Graph({ lanes }: { lanes: readonly Lane[] }) {
  const width = x(widthOf(lanes) - 1) + step / 2 + 2;
  return (
    <svg className={classes.graph} width={width} height={lanes.length * rowHeight} aria-hidden>
      {lanes.flatMap(({ links }, row) =>
        links.map(({ from, to }) => (
          <path key={`${row} ${from} ${to}`} d={path(row, from, to)} data-colour={Math.max(from, to) % colours} />
        )),
      )}
      {lanes.map(({ column }, row) => (
        <circle key={`row ${y(row)}`} cx={x(column)} cy={y(row)} r={4} data-colour={column % colours} />
      ))}
    </svg>
  );
}
