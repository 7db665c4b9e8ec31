/** Epics of a group: lists, one of them with its issues, child epics and links, and the order of a tree. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll, unwrapPage } from './api.ts';
import type { TaskUpdate } from './markdown/tasks.ts';

export type Epic = Schemas['Epic'];
export type ListedEpic = Schemas['ListedEpic'];

export interface EpicSearch {
  readonly page?: number | undefined;
  readonly state?: string | undefined;
  readonly search?: string | undefined;
}

export interface EpicValues {
  readonly title?: string;
  readonly description?: string | null;
  readonly labels?: string[];
  readonly add_labels?: string[];
  readonly remove_labels?: string[];
  readonly confidential?: boolean;
  readonly start_date_is_fixed?: boolean;
  readonly start_date_fixed?: string | null;
  readonly due_date_is_fixed?: boolean;
  readonly due_date_fixed?: string | null;
  readonly parent_id?: number | null;
  readonly state_event?: 'close' | 'reopen';
  readonly update_task?: TaskUpdate;
}

export const epicsKey = (path: string) => ['group', path, 'epics'] as const;
const id = (path: string) => ({ id: path });
const at = (path: string, epic_iid: number) => ({ path: { id: path, epic_iid } });

export const epics = (path: string, { page = 1, state = 'opened', search }: EpicSearch) =>
  queryOptions({
    queryKey: [...epicsKey(path), 'list', page, state, search],
    queryFn: () =>
      unwrapPage(
        client.GET('/groups/{id}/epics', {
          params: {
            path: id(path),
            query: {
              ...{ page, per_page: 100, with_labels_details: true },
              state: state as 'opened',
              ...(search ? { search } : {}),
            },
          },
        }),
      ),
  });

/** Open epics of a group and those above it, for choosing one. */
export const epicChoices = (path: string, search: string) =>
  queryOptions({
    queryKey: [...epicsKey(path), 'choices', search],
    queryFn: async (): Promise<{ value: string; label: string }[]> => {
      const query = {
        per_page: 50,
        state: 'opened' as const,
        include_ancestor_groups: true,
        include_descendant_groups: false,
        ...(search === '' ? {} : { search }),
      };
      const found = await unwrap(client.GET('/groups/{id}/epics', { params: { path: id(path), query } }));
      return found.map((each) => ({ value: String(each.id), label: `&${each.iid} ${each.title}` }));
    },
    staleTime: 30_000,
  });

export const epic = (path: string, iid: number) =>
  queryOptions({
    queryKey: [...epicsKey(path), 'one', iid],
    queryFn: () => unwrap(client.GET('/groups/{id}/epics/{epic_iid}', { params: at(path, iid) })),
  });

/** What is below an epic, how far it is, and what it is linked to. */
export const epicContents = (path: string, iid: number) =>
  queryOptions({
    queryKey: [...epicsKey(path), 'one', iid, 'contents'],
    queryFn: async () => {
      const params = { ...at(path, iid), query: { per_page: 100 } };
      const [statistics, children, issues, related] = await Promise.all([
        unwrap(client.GET('/groups/{id}/epics/{epic_iid}/statistics', { params: at(path, iid) })),
        unwrapAll(client.GET('/groups/{id}/epics/{epic_iid}/epics', { params })),
        unwrapPage(client.GET('/groups/{id}/epics/{epic_iid}/issues', { params })),
        unwrapAll(client.GET('/groups/{id}/epics/{epic_iid}/related_epics', { params })),
      ]);
      return { statistics, children, issues: issues.items, moreIssues: issues.nextPage !== null, related };
    },
  });
export type EpicContents = Awaited<ReturnType<NonNullable<ReturnType<typeof epicContents>['queryFn']>>>;

/** Open issues of the group, to be added to an epic. */
export const issuesToAdd = (path: string, search: string) =>
  queryOptions({
    queryKey: ['group', path, 'issues-to-add', search],
    queryFn: async () => {
      const found = await unwrapPage(
        client.GET('/groups/{id}/issues', {
          params: {
            path: id(path),
            query: { state: 'opened', scope: 'all', per_page: 20, ...(search ? { search } : {}) },
          },
        }),
      );
      return found.items.map((issue) => ({
        value: String(issue.id),
        label: `${issue.references.relative ?? issue.references.full} ${issue.title}`,
      }));
    },
    staleTime: 10_000,
  });

export const createEpic = (path: string, body: EpicValues & { readonly title: string }) =>
  unwrap(client.POST('/groups/{id}/epics', { params: { path: id(path) }, body }));
export const changeEpic = (path: string, iid: number, body: EpicValues) =>
  unwrap(client.PUT('/groups/{id}/epics/{epic_iid}', { params: at(path, iid), body }));
export const removeEpic = (path: string, iid: number) =>
  unwrap(client.DELETE('/groups/{id}/epics/{epic_iid}', { params: at(path, iid) }));
export const addIssue = (path: string, epic_iid: number, issue_id: number) =>
  unwrap(
    client.POST('/groups/{id}/epics/{epic_iid}/issues/{issue_id}', {
      params: { path: { id: path, epic_iid, issue_id } },
    }),
  );
export const removeIssue = (path: string, epic_iid: number, epic_issue_id: number) =>
  unwrap(
    client.DELETE('/groups/{id}/epics/{epic_iid}/issues/{epic_issue_id}', {
      params: { path: { id: path, epic_iid, epic_issue_id } },
    }),
  );
/** Puts an issue of an epic right after or before another one. */
export const placeIssue = (
  path: string,
  epic_iid: number,
  epic_issue_id: number,
  body: { readonly move_before_id?: number; readonly move_after_id?: number },
) =>
  unwrap(
    client.PUT('/groups/{id}/epics/{epic_iid}/issues/{epic_issue_id}', {
      params: { path: { id: path, epic_iid, epic_issue_id } },
      body,
    }),
  );

export interface TreeRow<T> {
  readonly epic: T;
  readonly depth: number;
}

/** Epics in the order of a tree: each right below its parent; those whose parent is not shown are at the top. */
export function treeOf<T extends Pick<ListedEpic, 'id' | 'parent_id'>>(all: readonly T[]): TreeRow<T>[] {
  const ids = new Set(all.map((each) => each.id));
  const rows: TreeRow<T>[] = [];
  const add = (parent: number | null, depth: number): void => {
    for (const each of all) {
      const above = each.parent_id !== null && ids.has(each.parent_id) ? each.parent_id : null;
      if (above !== parent) continue;
      rows.push({ epic: each, depth });
      add(each.id, depth + 1);
    }
  };
  add(null, 0);
  return rows;
}

export interface Month {
  readonly name: string;
  /** First days of the month and of the next one. */
  readonly first: string;
  readonly end: string;
}

/** The months that a roadmap shows: from the one before today, or the earliest start, to the latest end; at most `most`. */
export function monthsOf(
  spans: ReadonlyArray<Pick<ListedEpic, 'start_date' | 'due_date'>>,
  today: string,
  most = 24,
): Month[] {
  const days = spans.flatMap(({ start_date, due_date }) => [start_date, due_date].flatMap((date) => date ?? []));
  const month = (date: string, plus: number) => {
    const [year = 0, index = 1] = date.split('-').map(Number);
    return new Date(Date.UTC(year, index - 1 + plus, 1)).toISOString().slice(0, 10);
  };
  const [first = today, last = today] = [[...days, today].sort()[0], [...days, today].sort().at(-1)];
  const months: Month[] = [];
  // Later of the two, as texts.
  const [, from = today] = [month(first, 0), month(today, 1 - most / 2)].sort();
  for (let at = from; at <= month(last, 1) && months.length < most; at = month(at, 1))
    months.push({
      name: new Date(`${at}T00:00:00Z`).toLocaleDateString(undefined, {
        month: 'short',
        year: 'numeric',
        timeZone: 'UTC',
      }),
      first: at,
      end: month(at, 1),
    });
  return months;
}

/** Where a span is within the months, in percent of their width; null where it is outside or has no days. */
export function barOf(
  { start_date: start, due_date: due }: Pick<ListedEpic, 'start_date' | 'due_date'>,
  months: readonly Month[],
): { left: number; width: number } | null {
  const [first, last] = [months[0]?.first, months.at(-1)?.end];
  if (first === undefined || last === undefined || (!start && !due)) return null;
  const [from, to] = [Date.parse(first), Date.parse(last)];
  const begins = start ? Math.max(from, Date.parse(start)) : from;
  // The last day is a whole one.
  const ends = due ? Math.min(to, Date.parse(due) + 86_400_000) : to;
  if (ends <= from || begins >= to || ends <= begins) return null;
  const percent = (time: number) => Math.round((time / (to - from)) * 10_000) / 100;
  return { left: percent(begins - from), width: percent(ends - begins) };
}
