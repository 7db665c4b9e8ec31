/** Moving one of a list between others of it. */
import { notFound } from '../../../kernel/http/errors.ts';

export interface Move {
  readonly id: number;
  /** What is to come right before it. */
  readonly before: number | undefined;
  /** What is to come right after it. */
  readonly after: number | undefined;
}

/** The list with one of it at its new place; 404 where a neighbour is not in the list. */
export function moved(ids: readonly number[], { id, before, after }: Move, noun: string): number[] {
  for (const each of [id, before, after]) if (each !== undefined && !ids.includes(each)) throw notFound(noun);
  const rest = ids.filter((each) => each !== id);
  if (before !== undefined && before !== id) rest.splice(rest.indexOf(before) + 1, 0, id);
  else if (after !== undefined && after !== id) rest.splice(rest.indexOf(after), 0, id);
  else return [...ids];
  return rest;
}
