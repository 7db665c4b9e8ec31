/** Durations in words, as `timeout`, `start_in` and `expire_in` take them. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
// The ecosystem's calendar: months of 30 days and years of 365.25.
const UNITS: readonly (readonly [names: readonly string[], seconds: number])[] = [
  [['s', 'sec', 'secs', 'second', 'seconds'], 1],
  [['m', 'min', 'mins', 'minute', 'minutes'], MINUTE],
  [['h', 'hr', 'hrs', 'hour', 'hours'], HOUR],
  [['d', 'day', 'days'], DAY],
  [['w', 'wk', 'wks', 'week', 'weeks'], 7 * DAY],
  [['mo', 'mon', 'mos', 'mth', 'mths', 'month', 'months'], 30 * DAY],
  [['y', 'yr', 'yrs', 'year', 'years'], 365.25 * DAY],
];
const SECONDS = new Map(UNITS.flatMap(([names, seconds]) => names.map((name) => [name, seconds] as const)));
const WORDS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];
const NUMBERS = new Map([
  ...WORDS.map((word, number) => [word, number] as const),
  ['a', 1] as const,
  ['an', 1] as const,
]);
const TOKEN = /\s*(\d+(?:\.\d+)?|[a-z]+|,)/y;

/**
 * Seconds of `1h 30m`, `2 weeks and 3 days`, `3600`, `1:20:51` or `one hour`; null when the text is none of them.
 * Fractions are rounded down to whole seconds.
 */
export function parseDuration(text: string): number | null {
  const input = text.trim().toLowerCase();
  if (input.length > 200) return null;
  if (/^\d+(\.\d+)?$/.test(input)) return whole(Number(input));
  const clock = /^(\d+):(\d{1,2})(?::(\d{1,2}))?$/.exec(input);
  if (clock) {
    const [, first, second, third] = clock;
    if (third === undefined) return whole(Number(first) * MINUTE + Number(second));
    return whole(Number(first) * HOUR + Number(second) * MINUTE + Number(third));
  }
  return inWords(input);
}

function inWords(input: string): number | null {
  let seconds = 0;
  let amount: number | null = null;
  let units = 0;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < input.length) {
    const token = TOKEN.exec(input)?.[1];
    if (token === undefined) return null;
    if (token === ',' || token === 'and') continue;
    const number = /^\d/.test(token) ? Number(token) : NUMBERS.get(token);
    if (number !== undefined) {
      if (amount !== null) return null;
      amount = number;
      continue;
    }
    const unit = SECONDS.get(token);
    if (unit === undefined || amount === null) return null;
    seconds += amount * unit;
    amount = null;
    units++;
  }
  return units > 0 && amount === null ? whole(seconds) : null;
}

function whole(seconds: number): number | null {
  const value = Math.floor(seconds);
  return Number.isSafeInteger(value) ? value : null;
}
