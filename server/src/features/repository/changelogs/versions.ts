/** Versions in names of tags and in headings of changelogs, and the dates of these. Pure. */
import { RE2JS } from 're2js';

export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** What comes before a release, like `rc1`; null for a release itself. */
  readonly pre: string | null;
}

const number = '0|[1-9]\\d*';
const word = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const core = `(?P<major>${number})\\.(?P<minor>${number})\\.(?P<patch>${number})(?:-(?P<pre>${word}(?:\\.${word})*))?(?:\\+(?P<meta>[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?`;

/** How tags are named unless the configuration says otherwise. */
export const usualTags = `^v?${core}$`;

/** Longer numbers are no versions of anything. */
const longest = 9;

function named(matcher: ReturnType<RE2JS['matcher']>, name: string): string | null {
  try {
    return matcher.group(name) ?? null;
  } catch {
    // The expression has no such group.
    return null;
  }
}

/** Reads versions out of texts; null where the expression is none of RE2's syntax. */
export function versionReader(source: string): ((text: string) => Version | null) | null {
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(source);
  } catch {
    return null;
  }
  return (text) => {
    const matcher = expression.matcher(text);
    if (!matcher.find()) return null;
    const [major, minor, patch] = ['major', 'minor', 'patch'].map((each) => named(matcher, each));
    if (![major, minor, patch].every((each) => each && /^\d+$/.test(each) && each.length <= longest)) return null;
    return { major: Number(major), minor: Number(minor), patch: Number(patch), pre: named(matcher, 'pre') || null };
  };
}

const usual = versionReader(usualTags);
export const versionOf = (text: string): Version | null => usual?.(text) ?? null;

const parts = /^\d+$/;

/** Below 0 where the first comes before the second, as semantic versioning orders them. */
export function compareVersions(a: Version, b: Version): number {
  const numbers = a.major - b.major || a.minor - b.minor || a.patch - b.patch;
  if (numbers !== 0 || a.pre === b.pre) return numbers;
  if (a.pre === null) return 1;
  if (b.pre === null) return -1;
  const [left, right] = [a.pre.split('.'), b.pre.split('.')];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [x, y] = [left[at], right[at]];
    if (x === undefined) return -1;
    if (y === undefined) return 1;
    if (x === y) continue;
    if (parts.test(x) && parts.test(y)) return Number(x) - Number(y);
    if (parts.test(x) !== parts.test(y)) return parts.test(x) ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return 0;
}

const months = 'January February March April May June July August September October November December'.split(' ');
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const two = (value: number) => String(value).padStart(2, '0');

/** A date as `strftime` writes it, in UTC; what it does not know stays as it is. */
export function formatDate(format: string, date: Date): string {
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const [hour, minute, second] = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()];
  const known: Readonly<Record<string, string>> = {
    Y: String(year),
    y: two(year % 100),
    m: two(month + 1),
    '-m': String(month + 1),
    d: two(day),
    '-d': String(day),
    e: String(day).padStart(2),
    B: months[month] ?? '',
    b: (months[month] ?? '').slice(0, 3),
    A: weekdays[date.getUTCDay()] ?? '',
    a: (weekdays[date.getUTCDay()] ?? '').slice(0, 3),
    j: String(Math.floor((Date.UTC(year, month, day) - Date.UTC(year, 0, 1)) / 86_400_000) + 1).padStart(3, '0'),
    H: two(hour),
    M: two(minute),
    S: two(second),
    F: `${year}-${two(month + 1)}-${two(day)}`,
    T: `${two(hour)}:${two(minute)}:${two(second)}`,
    z: '+0000',
    Z: 'UTC',
    s: String(Math.floor(date.getTime() / 1000)),
    '%': '%',
  };
  return format.replaceAll(/%(-?[A-Za-z%])/g, (whole, name: string) => known[name] ?? whole);
}
