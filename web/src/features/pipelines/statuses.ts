/** Statuses of pipelines and jobs that have not come to their end. */
export const activeStatuses: ReadonlySet<string> = new Set([
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'canceling',
  'scheduled',
]);
