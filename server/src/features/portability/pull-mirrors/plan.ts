/** What an update of a pull mirror moves here: the refs of the other repository against those of the project. Pure but for the questions it asks. */
import { type Offer, type Sha, ZERO_SHA } from '@millrace/git';
import type { MirroredRef, Outgoing } from '../../namespaces/index.ts';

const heads = 'refs/heads/';
const tags = 'refs/tags/';

export interface PullPlan {
  readonly changes: readonly MirroredRef[];
  /** Refs that changed on both sides and were left as they are here. */
  readonly diverged: readonly string[];
}

/** A branch that both have; it follows where its commit here is in the history of the one there. */
type Follows = (here: string, there: string) => Promise<boolean>;

/** Refs that differ. Objects need not be here yet: `follows` is asked once they are. */
export function differing(
  ours: Pick<Outgoing, 'refs'>,
  { refs, head }: Pick<Offer, 'refs' | 'head'>,
  mirrors: (branch: string) => boolean,
): ReadonlyArray<MirroredRef & { readonly after: Sha }> {
  const own = new Map(ours.refs.map(({ ref, id }) => [ref, id]));
  const wanted = refs.filter(
    ({ ref, id }) =>
      own.get(ref) !== id && (ref.startsWith(tags) || (ref.startsWith(heads) && mirrors(ref.slice(heads.length)))),
  );
  // The branch that HEAD names there comes first: it becomes the default one of an empty repository.
  const sorted = [...wanted.filter(({ ref }) => ref === head), ...wanted.filter(({ ref }) => ref !== head)];
  return sorted.map(({ ref, id }) => ({ ref, before: own.get(ref) ?? ZERO_SHA, after: id }));
}

/** Leaves out what diverged, unless it is overwritten. A tag that moved has always diverged. */
export async function planOf(
  changes: readonly MirroredRef[],
  overwrites: boolean,
  follows: Follows,
): Promise<PullPlan> {
  const kept: MirroredRef[] = [];
  const diverged: string[] = [];
  for (const change of changes) {
    const isNew = change.before === ZERO_SHA;
    const follow =
      isNew || overwrites || (change.ref.startsWith(heads) && (await follows(change.before, change.after)));
    if (follow) kept.push(change);
    else diverged.push(change.ref);
  }
  return { changes: kept, diverged };
}
