/** Amounts of work as people write them, `1mo 2w 3d 4h 5m`, and back: a day has 8 hours, a week 5 days, a month 4 weeks. */

import type { ApplicationSettings } from '../../../kernel/settings/index.ts';

const minute = 60;
const hour = 60 * minute;
const day = 8 * hour;
const week = 5 * day;
const month = 4 * week;
/** Of the calendar: 365.25 days, all hours counted, as clients know it. */
const year = 31_557_600;

const units: Readonly<Record<string, number>> = Object.fromEntries(
  (
    [
      ['s sec secs second seconds', 1],
      ['m min mins minute minutes', minute],
      ['h hr hrs hour hours', hour],
      ['d dy day days', day],
      ['w wk wks week weeks', week],
      ['mo mos month months', month],
      ['y yr yrs year years', year],
    ] as const
  ).flatMap(([words, seconds]) => words.split(' ').map((word) => [word, seconds] as const)),
);

/** Above it nobody means an amount of work: 1,000 years of it. */
const greatest = 1000 * year;
const joining = new Set(['and', 'with', 'plus']);

/** `3:41:59`, the last of which are seconds. */
function clockSeconds(text: string): number | null {
  const parts = text.split(':');
  const values = [1, minute, hour, day];
  if (parts.length > values.length || !parts.every((part) => /^\d{1,9}$/.test(part))) return null;
  return parts.reverse().reduce((sum, part, at) => sum + Number(part) * (values[at] ?? 0), 0);
}

/** Seconds; null for what is no amount of work. A number alone is hours; a minus before it all takes away. */
export function parseDuration(written: string): number | null {
  const text = written.trim().toLowerCase();
  const negative = text.startsWith('-');
  const rest = negative ? text.slice(1).trim() : text;
  if (rest === '' || rest.length > 255) return null;
  const signed = (seconds: number) =>
    seconds > greatest ? null : Math.round(seconds) === 0 ? 0 : Math.round(seconds) * (negative ? -1 : 1);
  if (/^[\d:\s]+$/.test(rest) && rest.includes(':')) {
    const seconds = clockSeconds(rest.replaceAll(/\s/g, ''));
    return seconds === null ? null : signed(seconds);
  }
  const words = rest
    .replaceAll(/(\d*\.?\d+)/g, ' $1 ')
    .split(/[\s,]+/)
    .filter((word) => word !== '' && !joining.has(word));
  let sum = 0;
  for (let at = 0; at < words.length; ) {
    const first = words[at] ?? '';
    const isNumber = /^\d*\.?\d+$/.test(first);
    const unit = isNumber ? words[at + 1] : first;
    const amount = isNumber ? Number(first) : 1;
    // A bare number is hours, wherever it stands.
    const alone = isNumber && (unit === undefined || /^\d*\.?\d+$/.test(unit));
    const size = alone ? hour : Object.hasOwn(units, unit ?? '') ? units[unit ?? ''] : undefined;
    if (size === undefined) return null;
    sum += amount * size;
    at += alone || !isNumber ? 1 : 2;
  }
  return words.length === 0 ? null : signed(sum);
}

let unitsUpToHours = () => false;

/** Where the process learns whether amounts are written in hours (`time_tracking_limit_to_hours`): they are part of many answers. */
export function writeHours(last: () => Pick<ApplicationSettings, 'time_tracking_limit_to_hours'>): void {
  unitsUpToHours = () => last().time_tracking_limit_to_hours;
}

/** The parts of an amount, the greatest first. */
function partsOf(seconds: number): (readonly [number, string])[] {
  const down = (rest: number, sizes: readonly (readonly [number, string])[]) => {
    let left = rest;
    return sizes.map(([size, unit]) => {
      const amount = Math.floor(left / size);
      left -= amount * size;
      return [amount, unit] as const;
    });
  };
  const small = [
    [hour, 'h'],
    [minute, 'm'],
    [1, 's'],
  ] as const;
  if (unitsUpToHours()) return down(seconds, small);
  // Whole years and little more are written as such; all else in months.
  if (seconds >= year && seconds % year < seconds % month)
    return down(seconds, [[year, 'y'], [month, 'mo'], [day, 'd'], ...small]);
  return down(seconds, [[month, 'mo'], [week, 'w'], [day, 'd'], ...small]);
}

/** `1mo 2w 3d 4h 5m 6s`; null for nothing. */
export function humanDuration(seconds: number): string | null {
  const amount = Math.abs(seconds);
  const text = partsOf(amount)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ');
  return text === '' ? null : seconds < 0 ? `-${text}` : text;
}
