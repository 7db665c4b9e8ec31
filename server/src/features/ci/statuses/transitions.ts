/** Which statuses of other systems may follow each other. Pure. */

export const externalStates = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'] as const;
export type ExternalState = (typeof externalStates)[number];

const events: Readonly<Record<ExternalState, string>> = {
  pending: 'enqueue',
  running: 'run',
  success: 'success',
  failed: 'drop',
  canceled: 'cancel',
  skipped: 'skip',
};

export const hasEnded = (state: ExternalState): boolean => state !== 'pending' && state !== 'running';

/** Why `next` cannot follow `current`, which has not ended; null when it can. */
export function transitionProblem(current: ExternalState, next: ExternalState): string | null {
  if (current !== next && next !== 'pending') return null;
  const event = events[next];
  return `Cannot transition status via :${event} from :${current} (Reason(s): Status cannot transition via "${event}")`;
}
