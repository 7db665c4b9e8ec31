/** Times as people say them. */

const steps: readonly (readonly [limit: number, unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  [60, 'second', 1],
  [3600, 'minute', 60],
  [86_400, 'hour', 3600],
  [86_400 * 7, 'day', 86_400],
  [86_400 * 30, 'week', 86_400 * 7],
  [86_400 * 365, 'month', 86_400 * 30],
  [Number.POSITIVE_INFINITY, 'year', 86_400 * 365],
];
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `3 minutes ago`; within ten seconds `just now`. */
export function relativeTime(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000);
  const distance = Math.abs(seconds);
  if (distance < 10) return 'just now';
  const [, unit, size] = steps.find(([limit]) => distance < limit) ?? ['', 'year', 86_400 * 365];
  return words.format(Math.trunc(seconds / Number(size)), unit as Intl.RelativeTimeFormatUnit);
}

/** `1 h 02 min`, `2 min 05 s`, `9 s`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  if (whole >= 3600) return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
  if (whole >= 60) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${whole} s`;
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Seconds of `1h 30m`, `2 hours` or `90` (seconds); null of anything else. */
export function secondsOf(text: string): number | null {
  const parts = [...text.trim().matchAll(/(\d+)\s*([a-z]*)\s*/gi)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text.trim()) return null;
  const seconds = parts.map(
    ([, count, unit]) => Number(count) * (unitSeconds[(unit || 's').charAt(0).toLowerCase()] ?? Number.NaN),
  );
  const sum = seconds.reduce((all, each) => all + each, 0);
  return Number.isSafeInteger(sum) ? sum : null;
}

/** The shortest text that `secondsOf` reads as so many seconds: `1h 30m`. */
export function durationText(seconds: number): string {
  const parts = (['d', 'h', 'm', 's'] as const).map((unit, index, units) => {
    const larger = units[index - 1];
    const left = larger === undefined ? seconds : seconds % (unitSeconds[larger] ?? 1);
    return { unit, count: Math.floor(left / (unitSeconds[unit] ?? 1)) };
  });
  const given = parts.filter(({ count }) => count > 0);
  return given.length === 0 ? '0s' : given.map(({ unit, count }) => `${count}${unit}`).join(' ');
}

/** `1.4 MB`. */
export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = size;
  let unit = 'B';
  for (const next of units) {
    if (value < 1000) break;
    value /= 1000;
    unit = next;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** `YYYY-MM-DD`, that many days from today. */
export const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** A day as people write it: `Nov 27, 2026`. */
export const dayText = (date: string): string =>
  new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
