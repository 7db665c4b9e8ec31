/**
 * The decision function of merge trains: from the state of one train to what is to be done next. Pure: the server's worker
 * and the simulator (`npm run trains:sim`) carry out the same decisions.
 *
 * Each entry of a train has a commit that was built on its base: on the target branch for the first entry, on the commit of
 * the entry ahead for the others. A pipeline runs on that commit, and it is that commit that the target branch points at
 * after the merge. So what was tested is what is merged, and an entry is tested again exactly when its base is another.
 *
 * A verdict counts only where the base is the target branch itself. An entry that fails further back keeps its place: what is
 * ahead of it may be the reason, and may still go. Those behind it are built as if it were not there.
 */

/** The states that are stored and shown. */
export const entryStatuses = ['idle', 'stale', 'fresh', 'merging', 'merged', 'skip_merged'] as const;
export type EntryStatus = (typeof entryStatuses)[number];

/** Entries that are still to be merged. */
export const activeStatuses = ['idle', 'stale', 'fresh', 'merging'] as const satisfies readonly EntryStatus[];
/** Entries that have been merged. */
export const completeStatuses = ['merged', 'skip_merged'] as const satisfies readonly EntryStatus[];

/** What happens to entries. `leave` removes one: it was dropped, or taken off by somebody. */
const entryEvents = ['build', 'outdate', 'wait', 'merge', 'yield', 'finish', 'skip', 'leave'] as const;
export type EntryEvent = (typeof entryEvents)[number];

/**
 * What may follow on a state; `gone` is the end of an entry that leaves. The diagram in docs/user/merge-trains.md is made of
 * this table.
 */
export const transitions: Readonly<Record<EntryStatus, Readonly<Partial<Record<EntryEvent, EntryStatus | 'gone'>>>>> = {
  idle: { build: 'fresh', outdate: 'stale', finish: 'merged', skip: 'skip_merged', leave: 'gone' },
  stale: { build: 'fresh', wait: 'idle', finish: 'merged', skip: 'skip_merged', leave: 'gone' },
  fresh: { outdate: 'stale', wait: 'idle', merge: 'merging', finish: 'merged', skip: 'skip_merged', leave: 'gone' },
  merging: { yield: 'fresh', outdate: 'stale', finish: 'merged', skip: 'skip_merged', leave: 'gone' },
  merged: {},
  skip_merged: {},
};

/** The states from which one may come, itself among them: what was done once more is no fault. */
export const statesBefore = (status: EntryStatus): readonly EntryStatus[] =>
  entryStatuses.filter((from) => from === status || Object.values(transitions[from]).includes(status));

/** Pipelines of one train that run side by side. */
export const parallelPipelines = 20;

export interface Build {
  /** The commit that it was built on. */
  readonly base: string;
  /** Null where nothing could be built: it conflicts, or brings nothing. */
  readonly commit: string | null;
}

/** `missing`: nobody has started it yet. */
export type Verdict = 'missing' | 'running' | 'passed' | 'failed';

export interface Entry {
  readonly id: number;
  readonly status: EntryStatus;
  readonly build: Build | null;
  readonly verdict: Verdict;
  /** Whether the target branch has its commit already. */
  readonly landed: boolean;
  /** Whether it cannot be merged any more, whatever its pipeline says: closed, pushed to, or not allowed. */
  readonly refused: boolean;
}

export interface Train {
  /** The commit of the target branch. */
  readonly target: string;
  /** In their order. */
  readonly entries: readonly Entry[];
  readonly limit: number;
}

export type Action =
  /** Its commit is in the target branch: only the record is missing. */
  | { readonly do: 'record'; readonly entry: number }
  | { readonly do: 'drop'; readonly entry: number; readonly why: 'refused' | 'failed' }
  | { readonly do: 'merge'; readonly entry: number }
  /** Builds these one on top of the other, the first on `base`; one that cannot be built is passed over. */
  | { readonly do: 'build'; readonly entries: readonly number[]; readonly base: string }
  | { readonly do: 'start'; readonly entry: number }
  | { readonly do: 'mark'; readonly entry: number; readonly status: 'idle' | 'fresh' };

/**
 * What is to be done now; nothing where all there is to do is to wait. Whoever carries it out asks again afterwards: what was
 * done may have changed what comes next.
 */
export function decide({ target, entries, limit }: Train): readonly Action[] {
  const landed = entries.find((entry) => entry.landed);
  if (landed) return [{ do: 'record', entry: landed.id }];
  const refused = entries.filter((entry) => entry.refused);
  if (refused.length > 0) return refused.map(({ id }) => ({ do: 'drop', entry: id, why: 'refused' }));

  const [first] = entries;
  if (first?.build?.base === target) {
    const verdict = verdictOf(first);
    if (verdict === 'passed') return [{ do: 'merge', entry: first.id }];
    if (verdict === 'failed') return [{ do: 'drop', entry: first.id, why: 'failed' }];
  }

  const actions: Action[] = [];
  const places = entries.slice(0, limit);
  let base = target;
  for (const [at, entry] of places.entries()) {
    if (entry.build?.base !== base) {
      // Everything behind stands on what is built now.
      actions.push({ do: 'build', entries: places.slice(at).map(({ id }) => id), base });
      break;
    }
    const verdict = verdictOf(entry);
    if (verdict === 'missing') actions.push({ do: 'start', entry: entry.id });
    else if (entry.status !== 'fresh') actions.push({ do: 'mark', entry: entry.id, status: 'fresh' });
    if (verdict !== 'failed' && entry.build.commit !== null) base = entry.build.commit;
  }
  for (const entry of entries.slice(limit))
    if (entry.status !== 'idle') actions.push({ do: 'mark', entry: entry.id, status: 'idle' });
  return actions;
}

const verdictOf = ({ build, verdict }: Entry): Verdict => (build?.commit === null ? 'failed' : verdict);
