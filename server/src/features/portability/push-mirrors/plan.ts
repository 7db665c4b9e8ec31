/** What a push to a mirror moves: its references against those of the project. Pure but for the questions it asks. */
import { type RemoteCommand, ZERO_SHA } from '@millrace/git';
import type { Outgoing } from '../../namespaces/index.ts';

type Sha = RemoteCommand['old'];

export interface MirrorRules {
  /** Whether a branch is mirrored, by its short name. */
  readonly mirrors: (branch: string) => boolean;
  /** What has moved at the mirror stays as it is there. */
  readonly keepDivergent: boolean;
}

export interface MirrorPlan {
  readonly commands: readonly RemoteCommand[];
  /** References that were left as they are at the mirror. */
  readonly diverged: readonly string[];
}

const heads = 'refs/heads/';
const tags = 'refs/tags/';

/** `theirs` is what the mirror has, `known` the ids of it that are here too. */
export async function planOf(
  ours: Pick<Outgoing, 'refs' | 'isAncestor'>,
  theirs: ReadonlyMap<string, string>,
  known: ReadonlySet<string>,
  rules: MirrorRules,
  defaultBranch: string | null,
): Promise<MirrorPlan> {
  const wanted = (ref: string) =>
    ref.startsWith(tags) || (ref.startsWith(heads) && rules.mirrors(ref.slice(heads.length)));
  const own = new Map(ours.refs.map((each) => [each.ref, each]));
  const commands: RemoteCommand[] = [];
  const diverged: string[] = [];
  for (const { ref, id, peeled } of ours.refs) {
    if (!wanted(ref)) continue;
    const there = theirs.get(ref);
    if (there === id) continue;
    if (there !== undefined && rules.keepDivergent) {
      // A tag never moves by itself; a branch moves on where it is behind.
      const follows =
        ref.startsWith(heads) && known.has(there) && (await ours.isAncestor(there, peeled ?? id).catch(() => false));
      if (!follows) {
        diverged.push(ref);
        continue;
      }
    }
    commands.push({ ref, old: (there ?? ZERO_SHA) as Sha, new: id as Sha });
  }
  const head = defaultBranch === null ? undefined : own.get(`${heads}${defaultBranch}`)?.id;
  if (head === undefined || rules.keepDivergent) return { commands, diverged };
  // What was deleted here goes there too, unless it has work that is nowhere here.
  for (const [ref, there] of theirs) {
    if (own.has(ref) || !wanted(ref) || !known.has(there)) continue;
    if (await ours.isAncestor(there, head).catch(() => false)) commands.push({ ref, old: there as Sha, new: ZERO_SHA });
  }
  return { commands, diverged };
}
