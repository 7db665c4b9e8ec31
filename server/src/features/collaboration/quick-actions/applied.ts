/** What became of the quick actions of a text. */
import { badRequest } from '../../../kernel/http/errors.ts';

export interface Applied {
  /** Of those that were applied. */
  readonly changes: Readonly<Record<string, unknown>>;
  /** A sentence for each command, and why the first that was refused was. */
  readonly summary: readonly string[];
  /** Why one was refused; those behind it were not applied. */
  readonly failure: string | null;
  /** Whether any was applied. */
  readonly some: boolean;
}

/** 400 where a change was refused and nothing else came of a text that is nothing but commands. */
export function requireSomething({ some, failure }: Applied): void {
  if (failure !== null && !some) throw badRequest(failure);
}
