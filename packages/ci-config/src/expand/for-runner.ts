/**
 * The variables of a job as its runner gets them. Runners expand each value once, against the others as they were sent:
 * what refers to variables that refer to others is expanded before.
 */
import { DEFAULT_LIMITS, type Limits } from '../limits.ts';
import { namesIn, replaceReferences } from './references.ts';

type Sent = {
  readonly key: string;
  readonly value: string;
  /** Used as it is, by the runner too. */
  readonly raw?: boolean;
  /** Its name stands for a path, which the runner alone knows. */
  readonly file?: boolean;
};

// A payload is sent for each job: twice the longest message of a commit, and some room.
const MOST_ADDED = 1_048_576;

const referencesOf = ({ value, raw }: Sent): string[] => (raw ? [] : namesIn(value, 'value'));

/**
 * Indexes so that each variable comes behind those that it refers to, of one name all of them; otherwise as given. Null
 * when some refer to each other in a circle.
 */
function inOrderOfUse(list: readonly Sent[]): number[] | null {
  const byKey = new Map<string, number[]>();
  for (const [index, { key }] of list.entries()) byKey.set(key, [...(byKey.get(key) ?? []), index]);
  const usedBy = (index: number) => referencesOf(list[index]!).flatMap((name) => byKey.get(name) ?? []);
  const order: number[] = [];
  const state = new Map<number, 'open' | 'done'>();
  const enter = (index: number) => {
    state.set(index, 'open');
    return { index, rest: usedBy(index) };
  };
  for (const root of list.keys()) {
    const path = state.has(root) ? [] : [enter(root)];
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.rest.shift();
      if (next === undefined) {
        state.set(top.index, 'done');
        order.push(top.index);
        path.pop();
      } else if (!state.has(next)) path.push(enter(next));
      else if (state.get(next) === 'open' && next !== top.index) return null;
    }
  }
  return order;
}

/**
 * The variables with references to others replaced, except to files, raw and unknown ones; later ones of a name win. What
 * would grow past a limit stays as it is written, and so does everything where variables refer to each other in a circle.
 */
export function expandForRunner<T extends Sent>(list: readonly T[], limits: Limits = DEFAULT_LIMITS): T[] {
  const order = inOrderOfUse(list);
  if (!order) return [...list];
  const known = new Map<string, Sent>();
  let room = MOST_ADDED;
  const expanded = (item: T): T => {
    if (referencesOf(item).length === 0) return item;
    let length = item.value.length;
    const most = Math.min(limits.variableBytes, length + room);
    const value = replaceReferences(item.value, 'value', (name, reference) => {
      const found = known.get(name);
      if (!found || found.file || found.raw) return undefined;
      length += found.value.length - reference.length;
      return length > most ? '' : found.value;
    });
    if (length > most) return item;
    room -= Math.max(0, length - item.value.length);
    return { ...item, value };
  };
  return order.map((index) => {
    const result = expanded(list[index]!);
    known.set(result.key, result);
    return result;
  });
}
