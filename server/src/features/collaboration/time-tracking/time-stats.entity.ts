/** How much time is estimated for an issue or merge request, and how much was spent. */
import type { Static } from 'typebox';
import { Count, Entity, Nullable, Text } from '../../../kernel/http/entity.ts';
import { humanDuration } from './durations.ts';

export const TimeStats = Entity('TimeStats', {
  time_estimate: Count({ description: 'Seconds' }),
  total_time_spent: Count({ description: 'Seconds' }),
  human_time_estimate: Nullable(
    Text({ description: 'In days of 8 hours, or in hours where the instance says so; null for none' }),
  ),
  human_total_time_spent: Nullable(
    Text({ description: 'In days of 8 hours, or in hours where the instance says so; null for none' }),
  ),
});

export const timeStatsJson = (row: {
  readonly time_estimate: number;
  readonly time_spent: number;
}): Static<typeof TimeStats> => ({
  time_estimate: row.time_estimate,
  total_time_spent: row.time_spent,
  human_time_estimate: humanDuration(row.time_estimate),
  human_total_time_spent: humanDuration(row.time_spent),
});
