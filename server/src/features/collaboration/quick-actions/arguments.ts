/** What people write after the name of a quick action: users, labels, milestones, days. */
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Label } from '../../../kernel/db/rows.ts';
import { usersMentioned } from '../../identity/index.ts';
import type { Place } from '../../namespaces/index.ts';
import { findLabel, type LabelName } from '../labels/labels.queries.ts';

/** Ids of the users that are named, the caller by `me`; null where somebody does not exist. */
export async function usersIn(db: Db, caller: Caller, argument: string): Promise<number[] | null> {
  const names = argument.split(/[\s,]+/).filter((word) => word !== '' && word !== 'and');
  const me = caller.user?.id;
  const wanted = new Set(names.filter((name) => name !== 'me' && name !== '@me').map((name) => name.replace(/^@/, '')));
  const found = await usersMentioned(db, [...wanted]);
  if (names.length === 0 || found.length < wanted.size) return null;
  const own = me !== undefined && names.some((name) => name === 'me' || name === '@me') ? [me] : [];
  return [...new Set([...own, ...found])];
}

/** `~bug ~"needs review"`, the same without the mark, or titles with commas between them; a marked number may be an id. */
function labelNamesIn(argument: string): LabelName[] {
  const marked = [...argument.matchAll(/~(?:"([^"]+)"|([^\s~,"]+))/g)];
  if (marked.length > 0) return marked.map(([, quoted, bare = '']) => (quoted ? { title: quoted } : bare));
  const titles = argument.includes(',')
    ? argument.split(',').map((title) => title.trim().replace(/^"(.*)"$/, '$1'))
    : [...argument.matchAll(/"([^"]+)"|([^\s"]+)/g)].map(([, quoted, bare = '']) => quoted ?? bare);
  return titles.filter((title) => title !== '').map((title) => ({ title }));
}

/** The labels that are named, of those that exist; none are created. */
export async function labelsIn(db: Db, place: Place, argument: string): Promise<Pick<Label, 'id' | 'title'>[]> {
  const found: Pick<Label, 'id' | 'title'>[] = [];
  for (const name of labelNamesIn(argument).slice(0, 100)) {
    const label = await findLabel(db, place, { ancestors: true }, name, null);
    if (label && !found.some(({ id }) => id === label.id)) found.push({ id: label.id, title: label.title });
  }
  return found;
}

/** `%1.0`, `%"Release 1"`, `%12` or the title alone. */
export function titleOfMilestone(argument: string): string {
  const [, quoted] = /^%?"([^"]+)"$/.exec(argument) ?? [];
  return quoted ?? argument.replace(/^%/, '');
}

/** What people hear where there is no day in the argument. */
export const noDay = 'Failed to set due date because the date format is invalid.';

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const at = (year: number, month: number, day: number) => new Date(Date.UTC(year, month, day));
const text = (date: Date) => date.toISOString().slice(0, 10);

/** The day itself, or nothing where the month has none of that number. */
function exact(year: number, month: number, day: number): string | null {
  const date = at(year, month, day);
  return date.getUTCMonth() === month && date.getUTCDate() === day ? text(date) : null;
}

/** A day as `2030-01-31`, or in words: `tomorrow`, `in 2 weeks`, `next friday`, `December 31st`. */
export function dayIn(argument: string, now = new Date()): string | null {
  const words = argument.trim().toLowerCase();
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(words);
  if (iso) return exact(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]));
  if (words === 'today') return text(at(year, month, day));
  if (words === 'tomorrow') return text(at(year, month, day + 1));
  const later = /^in (\d{1,3}) (day|week|month|year)s?$/.exec(words);
  if (later) {
    const [, count, unit] = [null, Number(later[1]), later[2]];
    if (unit === 'day') return text(at(year, month, day + count));
    if (unit === 'week') return text(at(year, month, day + 7 * count));
    const target = month + (unit === 'month' ? count : 12 * count);
    const last = at(year, target + 1, 0).getUTCDate();
    return text(at(year, target, Math.min(day, last)));
  }
  const named = /^(?:this |next )?([a-z]+)$/.exec(words);
  const weekday = days.findIndex((name) => name === named?.[1] || name.slice(0, 3) === named?.[1]);
  if (weekday >= 0) return text(at(year, month, day + ((weekday - now.getUTCDay() + 6) % 7) + 1));
  const spelled = /^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?$/.exec(words);
  const which = months.indexOf(spelled?.[1]?.slice(0, 3) ?? '');
  if (!spelled || which < 0) return null;
  const found = exact(spelled[3] ? Number(spelled[3]) : year, which, Number(spelled[2]));
  return found !== null && !spelled[3] && found < text(at(year, month, day))
    ? exact(year + 1, which, Number(spelled[2]))
    : found;
}
