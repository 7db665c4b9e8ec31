/** What became of the last update of a mirror, in words. */
export const states = {
  none: 'Not updated yet',
  scheduled: 'Waiting',
  started: 'Updating',
  finished: 'Up to date',
  failed: 'Failed',
  to_retry: 'Will be retried',
} as const;
