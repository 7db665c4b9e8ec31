/** The one status that a set of jobs has together: of a stage, of a pipeline, of what a job waits for. Pure. */
import type { JobStatus } from './job-states.ts';

export interface StatusInput {
  readonly status: JobStatus;
  readonly allowFailure: boolean;
}

type Kind = JobStatus | 'success_with_warnings' | 'ignored';

function kindOf({ status, allowFailure }: StatusInput): Kind {
  if (!allowFailure) return status;
  if (status === 'failed' || status === 'canceled') return 'success_with_warnings';
  // Nobody needs to press it.
  return status === 'manual' ? 'ignored' : status;
}

export interface Composite {
  readonly status: JobStatus;
  /** It counts as passed although a job that may fail did. */
  readonly warnings: boolean;
}

/**
 * The composite status; null for an empty set. `dag`: the set is what one job needs, which runs only when each of them
 * really ended.
 */
export function compositeStatus(inputs: readonly StatusInput[], dag = false): Composite | null {
  const kinds = new Set(inputs.map(kindOf));
  if (kinds.size === 0) return null;
  const only = (...allowed: Kind[]) => [...kinds].every((kind) => allowed.includes(kind));
  const any = (...wanted: Kind[]) => wanted.some((kind) => kinds.has(kind));
  const warnings = kinds.has('success_with_warnings');
  const is = (status: JobStatus): Composite => ({ status, warnings: status === 'success' && warnings });

  if (dag) {
    // What does not run at all, unless somebody presses it, gives nothing to a job that needs it.
    if (any('skipped', 'ignored')) return is('skipped');
    if (!only('success', 'failed', 'canceled', 'success_with_warnings')) return is('pending');
  }
  if (only('skipped', 'ignored')) return is('skipped');
  if (only('success', 'skipped', 'success_with_warnings', 'ignored')) return is('success');
  if (only('created', 'success_with_warnings', 'ignored')) return is('created');
  if (only('preparing', 'success_with_warnings', 'ignored')) return is('preparing');
  if (only('canceled', 'success', 'skipped', 'success_with_warnings', 'ignored')) return is('canceled');
  if (only('pending', 'created', 'skipped', 'success_with_warnings', 'ignored')) return is('pending');
  if (any('canceling')) return is('canceling');
  if (any('running', 'pending')) return is('running');
  if (any('waiting_for_resource')) return is('waiting_for_resource');
  if (any('manual')) return is('manual');
  if (any('scheduled')) return is('scheduled');
  if (any('preparing')) return is('preparing');
  // Some have ended, the next ones have not been looked at yet.
  if (any('created')) return is('running');
  return is('failed');
}
