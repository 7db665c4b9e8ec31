/** Why a job fails, as an error that carries what the server is told. */
import type { FailureReason } from './protocol.ts';

/** Ends a job as failed; `message` goes into its log. */
export class JobFailure extends Error {
  override name = 'JobFailure';
  readonly reason: FailureReason;
  readonly exitCode: number | undefined;

  constructor(reason: FailureReason, message: string, exitCode?: number) {
    super(message);
    this.reason = reason;
    this.exitCode = exitCode;
  }
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
