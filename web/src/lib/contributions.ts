/** Days of the last year in weeks, for the calendar of contributions. Pure. */

export interface ContributionDay {
  readonly date: string;
  readonly count: number;
}
interface ShownDay extends ContributionDay {
  /** 0 for nothing, up to 4. */
  readonly level: number;
}
export interface Week {
  readonly days: readonly ShownDay[];
  /** The first week that begins in its month, where its name has room: not when the next week begins in another one. */
  readonly startsMonth: boolean;
}

const day = 86_400_000;
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Steps of a quarter of the most that was done in a day. */
const levelOf = (count: number, most: number): number => (count === 0 ? 0 : Math.max(1, Math.ceil((count / most) * 4)));

/** 53 weeks, the last one with today in it. `firstDay` is the day on which weeks begin, 0 for Sunday. */
export function weeksOf(contributions: readonly ContributionDay[], now: Date, firstDay: number): Week[] {
  const counts = new Map(contributions.map(({ date, count }) => [date, count]));
  const most = Math.max(1, ...counts.values());
  const today = Date.parse(dateOf(now.getTime()));
  const thisWeek = today - ((new Date(today).getUTCDay() - firstDay + 7) % 7) * day;
  const monthAt = (start: number): number => new Date(start).getUTCMonth();
  const week = 7 * day;
  return Array.from({ length: 53 }, (_, index) => {
    const start = thisWeek - (52 - index) * week;
    const days = Array.from({ length: 7 }, (_day, at) => start + at * day)
      .filter((time) => time <= today)
      .map((time) => {
        const count = counts.get(dateOf(time)) ?? 0;
        return { date: dateOf(time), count, level: levelOf(count, most) };
      });
    const startsMonth =
      index === 0 ? monthAt(start) === monthAt(start + week) : monthAt(start) !== monthAt(start - week);
    return { days, startsMonth };
  });
}
