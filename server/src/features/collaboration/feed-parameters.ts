/** Feeds of lists: whom they answer, and what their addresses narrow them by. */
import type { Caller, Subject } from '../../kernel/authz/subjects.ts';
import { notFound, unauthorized } from '../../kernel/http/errors.ts';
import { parseUrlEncoded } from '../../kernel/http/params/nested.ts';

export interface FeedQuery {
  /** Null for what is assigned to the caller anywhere. */
  readonly place: Subject | null;
  readonly caller: Caller;
  /** Query string without `?`. */
  readonly query: string;
  readonly limit: number;
}

/** As pages of the ecosystem call them. */
const otherNames: Readonly<Record<string, string>> = { label_name: 'labels', milestone_title: 'milestone' };
/** Parameters that say whose things a feed of oneself is about. */
const people = [
  ...['assignee_id', 'assignee_username', 'author_id', 'author_username', 'reviewer_id', 'reviewer_username'],
  ...['scope', 'my_reaction_emoji'],
];

/** The parameters of a feed, to be validated; 401 or 404 for whoever may not read it. */
export function feedParameters({ place, caller, query }: FeedQuery, readable: (place: Subject) => boolean) {
  if (place === null && !caller.user) throw unauthorized();
  if (place !== null && !readable(place)) throw notFound();
  const raw = parseUrlEncoded(query);
  for (const [other, name] of Object.entries(otherNames)) if (raw[other] !== undefined) raw[name] ??= raw[other];
  if (place === null && people.every((name) => raw[name] === undefined)) raw.scope = 'assigned_to_me';
  return raw;
}
