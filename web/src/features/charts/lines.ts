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

/** Times a power of ten what a chart goes up to, with the parts between its lines. */
const rounds = [
  { times: 1, parts: 5 },
  { times: 2, parts: 4 },
  { times: 3, parts: 3 },
  { times: 4, parts: 4 },
  { times: 5, parts: 5 },
  { times: 6, parts: 3 },
  { times: 8, parts: 4 },
  { times: 10, parts: 5 },
] as const;

const powerOf = (value: number): number => 10 ** Math.floor(Math.log10(value));

/** The next round number that is not below the highest value, at least 1. */
export function ceiling(highest: number): number {
  if (highest <= 1) return 1;
  const power = powerOf(highest);
  return (rounds.find(({ times }) => times * power >= highest)?.times ?? 10) * power;
}

/** Whole numbers beside the lines of a chart that goes up to a round number. */
export function ticksOf(top: number): number[] {
  const times = Math.round(top / powerOf(top));
  const parts = Math.min(top, rounds.find((each) => each.times === times)?.parts ?? 5);
  return Array.from({ length: parts + 1 }, (_, at) => (top * at) / parts);
}

const hour = 3600;
const wholeDay = 24 * hour;
/** Seconds between the lines of a chart of durations: round in the unit that people would use. */
const durationSteps = [
  1,
  2,
  5,
  10,
  20,
  30,
  60,
  120,
  300,
  600,
  1200,
  1800,
  hour,
  2 * hour,
  4 * hour,
  6 * hour,
  12 * hour,
];

export interface DurationAxis {
  readonly ticks: readonly number[];
  readonly top: number;
  /** All in one unit, which is that of the distance between two. */
  label(seconds: number): string;
}

/** Lines of a chart whose highest value is so many seconds, at most six. */
export function durationAxis(highest: number): DurationAxis {
  const step = durationSteps.find((each) => each * 5 >= highest) ?? Math.ceil(highest / 5 / wholeDay) * wholeDay;
  const parts = Math.max(1, Math.ceil(highest / step));
  const [size, unit] = step < 60 ? [1, 's'] : step < hour ? [60, 'min'] : [hour, 'h'];
  return {
    ticks: Array.from({ length: parts + 1 }, (_, at) => at * step),
    top: parts * step,
    label: (seconds) => `${seconds / size} ${unit}`,
  };
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
