/** How a change of health is said under issues and epics. */
import type { Issue } from '../../kernel/db/rows.ts';

type Health = Issue['health_status'];

/** Null where it is the same. */
export function healthText(before: Health, after: Health): string | null {
  const [old, now] = [before, after].map((status) => status?.replaceAll('_', ' '));
  if (old === now) return null;
  return now ? `changed health status to **${now}**` : `removed health status **${old}**`;
}
