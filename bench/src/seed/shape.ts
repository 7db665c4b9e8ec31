/** The shape of a large instance, as numbers: which group is below which, who is a member where, what is shared. */
import { numbers } from '../../../scripts/lib/numbers.ts';

export interface Sizes {
  readonly users: number;
  readonly groups: number;
  /** Levels of groups, the top included. */
  readonly depth: number;
  readonly projects: number;
  readonly memberships: number;
}

export type Visibility = 'private' | 'internal' | 'public';

/** Everything by position from 0; what is in a list of pairs or triples is flat, for one array parameter each. */
export interface Shape {
  /** -1 for a top-level group; a parent comes before its children. The first group is the top of the largest tree. */
  readonly parents: Int32Array;
  readonly depths: Int32Array;
  readonly groupVisibility: Visibility[];
  /** Of each project: a group, or -1 - user for the namespace of a user. */
  readonly homes: Int32Array;
  readonly projectVisibility: Visibility[];
}

const openness: Readonly<Record<Visibility, number>> = { private: 0, internal: 1, public: 2 };
const levels = [10, 15, 20, 30, 30, 30, 30, 40, 40, 50];
const reaches: Visibility[] = ['private', 'internal', 'public'];

/** Picks positions of a list of weights: a few of them most of the time. */
function skewed(count: number, below: (limit: number) => number): () => number {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let at = 0; at < count; at += 1) {
    sum += 1 / (at + 1);
    sums[at] = sum;
  }
  return () => {
    const wanted = (below(1_000_000_000) / 1_000_000_000) * sum;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** Few big trees and many small ones, most of it private, projects mostly in groups; the same for the same sizes. */
export function shapeOf({ users, groups, depth, projects }: Sizes): Shape {
  const below = numbers(20_000);
  const tops = Math.max(1, Math.round(groups / 10));
  const tree = skewed(tops, below);
  const members: number[][] = Array.from({ length: tops }, (_, at) => [at]);
  const parents = new Int32Array(groups).fill(-1);
  const depths = new Int32Array(groups).fill(1);
  const groupVisibility: Visibility[] = [];
  const visibilityBelow = (parent: number): Visibility => {
    const wanted = (['private', 'private', 'internal', 'internal', 'public'] as const)[below(5)] ?? 'private';
    const most = parent < 0 ? 'public' : (groupVisibility[parent] ?? 'private');
    return openness[wanted] <= openness[most] ? wanted : most;
  };
  for (let group = 0; group < groups; group += 1) {
    if (group >= tops) {
      const own = members[tree()] ?? [];
      // Of two candidates the one that is further down, so that trees become deep and not only wide.
      const fits = [own[below(own.length)] ?? 0, own[below(own.length)] ?? 0]
        .filter((each) => (depths[each] ?? 0) < depth)
        .sort((a, b) => (depths[b] ?? 0) - (depths[a] ?? 0));
      const parent = fits[0] ?? own[0] ?? 0;
      parents[group] = parent;
      depths[group] = (depths[parent] ?? 0) + 1;
      own.push(group);
    }
    // What everybody in the company belongs to is open to them.
    groupVisibility.push(group === 0 ? 'internal' : visibilityBelow(parents[group] ?? -1));
  }
  const homes = new Int32Array(projects);
  const projectVisibility: Visibility[] = [];
  for (let project = 0; project < projects; project += 1) {
    const group = below(100) < 15 ? -1 : below(groups);
    homes[project] = group < 0 ? -1 - below(users) : group;
    projectVisibility.push(visibilityBelow(group));
  }
  return { parents, depths, groupVisibility, homes, projectVisibility };
}

/** One row of grants: who, where, level, and days until it expires (null for never). */
export interface Membership {
  readonly user: number;
  readonly group: number | null;
  readonly project: number | null;
  readonly level: number;
  readonly expiresIn: number | null;
}

/** Memberships one after the other, each pair of user and place at most once for most of them. */
export function* memberships({ users, groups, projects, memberships: count }: Sizes): Generator<Membership> {
  const below = numbers(1_000_000);
  const busy = skewed(Math.max(1, Math.round(users / 100)), below);
  // A twentieth of the people are direct members of the largest group, as everybody in a company is; each group has an owner.
  const everybody = Math.min(Math.round(users / 20), Math.round(count / 20));
  for (let user = 0; user < everybody; user += 1)
    yield { user: user * 20, group: 0, project: null, level: 10, expiresIn: null };
  for (let group = 0; group < Math.min(groups, count - everybody); group += 1)
    yield { user: below(users), group, project: null, level: 50, expiresIn: null };
  for (let made = everybody + groups; made < count; made += 1) {
    // One in ten belongs to somebody with very many: bots, people who do everything.
    const user = below(10) === 0 ? busy() * 100 : below(users);
    const inGroup = below(10) < 6;
    const chance = below(100);
    yield {
      user,
      group: inGroup ? below(groups) : null,
      project: inGroup ? null : below(projects),
      level: levels[below(levels.length)] ?? 30,
      expiresIn: chance === 0 ? -10 : chance < 4 ? 1 + below(300) : null,
    };
  }
}

/** Groups invited to groups and projects: one for four groups each, a tenth of them for some time. */
export function* invitations({ groups, projects }: Sizes): Generator<Membership> {
  const below = numbers(4711);
  for (let made = 0; made < groups / 2; made += 1) {
    const inGroup = made % 2 === 0;
    yield {
      user: below(groups),
      group: inGroup ? below(groups) : null,
      project: inGroup ? null : below(projects),
      level: reaches.length * 10,
      expiresIn: made % 10 === 0 ? (made % 20 === 0 ? -5 : 100) : null,
    };
  }
}
