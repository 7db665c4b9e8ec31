/** Whole days (UTC) up to today: how many are asked for, and when they begin. */
import { Int, Optional } from '../../../kernel/http/params/schema.ts';

export const daysParam = (byDefault: number) =>
  Optional(Int({ minimum: 1, maximum: 366, default: byDefault, description: 'How many days, today included' }));

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The first and the last of so many days, and the instant at which the first begins. */
export function periodOf(days: number): { readonly since: Date; readonly from: string; readonly to: string } {
  const to = dayOf(Date.now());
  const since = Date.parse(to) - (days - 1) * 86_400_000;
  return { since: new Date(since), from: dayOf(since), to };
}
