/**
 * The one place where a change of refs is judged: a list of checks over what waits in the quarantine. A rule about
 * pushes, API commits or merges is one more entry of the list.
 */
import type * as git from '@millrace/git';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { RefChange } from './protection.ts';

export interface Refusal {
  readonly reason: string;
  /** Whether the caller may not do it (403), or what they bring breaks a rule (400). */
  readonly kind: 'permission' | 'content';
}

/** What is about to happen. */
export interface Push<S = ProjectSubject> {
  readonly subject: S;
  readonly caller: Caller;
  readonly kind: 'push' | 'api' | 'merge';
  /** What the client asked for besides, as it wrote it: `ci.skip`. */
  readonly pushOptions: readonly string[];
  /** Set where the caller's right to write was checked by other means. */
  readonly authorised: boolean;
  /** Whose change a merge brings, where somebody proposed it. */
  readonly author: number | null;
  /** Set where the product chose the messages of the commits: nobody could have written others. */
  readonly ownMessage?: boolean | undefined;
  /** Those that no check before this one has refused. */
  readonly changes: readonly RefChange[];
  /** The repository with the new objects. */
  readonly quarantine: git.Quarantine;
}

/** Whether objects come with it: a branch or tag of what is there already brings none. */
export const bringsObjects = ({ kind, quarantine }: Pick<Push<unknown>, 'kind' | 'quarantine'>): boolean =>
  kind === 'push' || quarantine.overlay.used();

/** Why refs may not move, by ref. */
export type PushCheck<S = ProjectSubject> = (push: Push<S>) => Promise<ReadonlyMap<string, Refusal>>;

/** Runs the checks in their order; each sees only what those before it let pass. */
export async function refusals<S>(push: Push<S>, checks: readonly PushCheck<S>[]): Promise<Map<string, Refusal>> {
  const found = new Map<string, Refusal>();
  for (const check of checks) {
    const changes = push.changes.filter(({ ref }) => !found.has(ref));
    if (changes.length === 0) break;
    for (const [ref, refusal] of await check({ ...push, changes })) found.set(ref, refusal);
  }
  return found;
}

/** The same refusal for every change: what a push brings cannot always be told apart by ref. */
export const refuseAll = (push: Push, refusal: Refusal): ReadonlyMap<string, Refusal> =>
  new Map(push.changes.map(({ ref }) => [ref, refusal]));
