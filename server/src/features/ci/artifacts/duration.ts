/** Durations as people write them (`30 days`, `1h 30min`, `3600`): text to seconds. Pure. */

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

const units: Readonly<Record<string, number>> = {
  s: 1,
  sec: 1,
  secs: 1,
  second: 1,
  seconds: 1,
  m: minute,
  min: minute,
  mins: minute,
  minute,
  minutes: minute,
  h: hour,
  hr: hour,
  hrs: hour,
  hour,
  hours: hour,
  d: day,
  day,
  days: day,
  w: 7 * day,
  wk: 7 * day,
  wks: 7 * day,
  week: 7 * day,
  weeks: 7 * day,
  mo: 30 * day,
  mos: 30 * day,
  month: 30 * day,
  months: 30 * day,
  y: 365 * day,
  yr: 365 * day,
  yrs: 365 * day,
  year: 365 * day,
  years: 365 * day,
};

/** Seconds; null for what is no duration, 0 for `never` and an empty text. */
export function durationSeconds(text: string): number | null {
  const plain = text.trim().toLowerCase();
  if (plain === '' || plain === 'never') return 0;
  if (/^\d{1,10}$/.test(plain)) return Number(plain);
  const part = /(\d{1,10}(?:\.\d{1,4})?)\s*([a-z]+)(?:\s*,\s*|\s+and\s+|\s*)/y;
  let total = 0;
  while (part.lastIndex < plain.length) {
    const match = part.exec(plain);
    const unit = match?.[2] === undefined ? undefined : units[match[2]];
    if (!match || unit === undefined) return null;
    total += Number(match[1]) * unit;
  }
  return Math.floor(total);
}
