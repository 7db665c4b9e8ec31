/** Whether a runner is there, from its last contact. Pure. */

export const runnerStatuses = ['online', 'offline', 'stale', 'never_contacted'] as const;
export type RunnerStatus = (typeof runnerStatuses)[number];

/** A runner that has not called for this long is not online. */
export const onlineSeconds = 2 * 60 * 60;
/** One that has not called for this long is stale. */
export const staleSeconds = 7 * 24 * 60 * 60;

/** What clients are shown: a paused runner that has been heard of lately enough is `paused`, there or not. */
export const shownStatus = (status: RunnerStatus, paused: boolean) =>
  paused && (status === 'online' || status === 'offline') ? 'paused' : status;

export interface Contact {
  readonly contacted_at: Date | null;
  readonly created_at: Date;
}

export function runnerStatus({ contacted_at: contactedAt, created_at: createdAt }: Contact, now: Date): RunnerStatus {
  const age = (from: Date) => (now.getTime() - from.getTime()) / 1000;
  if (contactedAt === null) return age(createdAt) > staleSeconds ? 'stale' : 'never_contacted';
  if (age(contactedAt) <= onlineSeconds) return 'online';
  return age(contactedAt) > staleSeconds ? 'stale' : 'offline';
}
