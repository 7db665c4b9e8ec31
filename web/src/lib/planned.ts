/** How issues and epics say how they are and how long they take. */
import type { Schemas } from './api.ts';

export const healthNames = { on_track: 'On track', needs_attention: 'Needs attention', at_risk: 'At risk' } as const;

/** `2h spent of 1d`; null where nothing is estimated or spent. */
export function timeSpent(times: Schemas['Issue']['time_stats']): string | null {
  const { human_time_estimate: estimate, human_total_time_spent: spent } = times;
  return estimate || spent ? `${spent ?? '0h'} spent${estimate ? ` of ${estimate}` : ''}` : null;
}
