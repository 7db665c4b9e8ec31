/** Points of line charts: from days and amounts to places in a picture. Pure. */

export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A day as the axes name it. */
export const shortDay = (date: string) =>
  new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });

const millisecondsPerDay = 86_400_000;

/** Days from the first to the last of a span, at least one. */
export const spanOf = (first: string, last: string): number =>
  Math.max(1, Math.round((Date.parse(last) - Date.parse(first)) / millisecondsPerDay));

/** The next round number that is not below the highest value: 1, 2 or 5 times a power of ten, at least 1. */
export function ceiling(highest: number): number {
  if (highest <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  return ([1, 2, 5, 10].find((times) => times * power >= highest) ?? 10) * power;
}

/** Whole numbers beside the lines of a chart that goes up to a round number. */
export function ticksOf(top: number): number[] {
  const parts = top < 2 ? 1 : top % 2 === 0 ? 2 : 5;
  return Array.from({ length: parts + 1 }, (_, at) => (top * at) / parts);
}

export interface Scale {
  x(day: string): number;
  y(value: number): number;
}

export function scaleOf(frame: Frame, first: string, last: string, top: number): Scale {
  const { width, height, left, right } = frame;
  const span = spanOf(first, last);
  const inner = { width: width - left - right, height: height - frame.top - frame.bottom };
  const round = (value: number) => Math.round(value * 10) / 10;
  return {
    x: (day) => round(left + ((Date.parse(day) - Date.parse(first)) / millisecondsPerDay / span) * inner.width),
    y: (value) => round(frame.top + (1 - value / top) * inner.height),
  };
}

/** A path through points, straight from one to the next. */
export const pathOf = (points: ReadonlyArray<readonly [x: number, y: number]>): string =>
  points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join('');
