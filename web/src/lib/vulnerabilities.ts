/** Vulnerabilities of a project, a group and the instance: the lists, the trend, and what people decide. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type Vulnerability = Schemas['Vulnerability'];
export type Decision = 'confirm' | 'resolve' | 'dismiss' | 'revert';

export interface VulnerabilityFilter {
  readonly page?: number | undefined;
  readonly state?: string | undefined;
  readonly severity?: string | undefined;
  readonly report_type?: string | undefined;
  /** Of one project in the report of a group or of the instance. */
  readonly project_id?: number | undefined;
}

/** Whose report it is. */
export type ReportPlace = { readonly kind: 'project' | 'group'; readonly path: string } | { readonly kind: 'instance' };

export const vulnerabilitiesKey = (place: ReportPlace) => [
  ...(place.kind === 'instance' ? [] : [place.kind, place.path]),
  'vulnerabilities',
];
/** Those that somebody has still to do something about. */
const open = 'detected,opened,confirmed';

const filterQuery = ({ state, severity, report_type, project_id }: VulnerabilityFilter) => ({
  ...(state === 'all' ? {} : { state: state ?? open }),
  ...(severity ? { severity } : {}),
  ...(report_type ? { report_type } : {}),
  ...(project_id ? { project_id: String(project_id) } : {}),
});

export const vulnerabilities = (place: ReportPlace, { page = 1, ...filter }: VulnerabilityFilter) =>
  queryOptions({
    queryKey: [...vulnerabilitiesKey(place), { page, ...filter }],
    queryFn: () => {
      const query = { page, per_page: 20, order_by: 'severity', ...filterQuery(filter) } as object;
      if (place.kind === 'instance') return unwrapPage(client.GET('/vulnerabilities', { params: { query } }));
      const path = { id: place.path };
      return place.kind === 'group'
        ? unwrapPage(client.GET('/groups/{id}/vulnerabilities', { params: { path, query } }))
        : unwrapPage(client.GET('/projects/{id}/vulnerabilities', { params: { path, query } }));
    },
  });

/** Projects that a report may be narrowed to, by their names. */
export const reportProjects = (place: ReportPlace, search: string) =>
  queryOptions({
    queryKey: [...vulnerabilitiesKey(place), 'projects', search],
    queryFn: () => {
      const query = {
        search,
        per_page: 20,
        simple: true,
        archived: false,
        order_by: 'name' as const,
        sort: 'asc' as const,
      };
      return place.kind === 'group'
        ? unwrap(
            client.GET('/groups/{id}/projects', {
              params: { path: { id: place.path }, query: { ...query, include_subgroups: true } },
            }),
          )
        : unwrap(client.GET('/projects', { params: { query } }));
    },
  });

/** Where the same vulnerabilities are as a file. */
export function csvAddress(place: ReportPlace, filter: VulnerabilityFilter): string {
  const base = place.kind === 'instance' ? '' : `/${place.kind}s/${encodeURIComponent(place.path)}`;
  return `/api/v4${base}/vulnerabilities/csv?${new URLSearchParams(filterQuery(filter))}`;
}

export const vulnerabilityTrend = (path: string) =>
  queryOptions({
    queryKey: [...vulnerabilitiesKey({ kind: 'project', path }), 'trend'],
    queryFn: () =>
      unwrap(client.GET('/projects/{id}/vulnerability_trend', { params: { path: { id: path }, query: { days: 30 } } })),
  });

export const decide = (id: number, decision: Decision) =>
  unwrap(
    client.POST(`/vulnerabilities/{id}/${decision}` as '/vulnerabilities/{id}/confirm', { params: { path: { id } } }),
  );

export const vulnerabilityComparison = (path: string, iid: number) =>
  queryOptions({
    // Below the key of the merge request: it follows what that announces.
    queryKey: ['project', path, 'merge-request', iid, 'reports', 'vulnerabilities'],
    queryFn: () =>
      unwrap(
        client.GET('/projects/{id}/merge_requests/{merge_request_iid}/vulnerability_comparison', {
          params: { path: { id: path, merge_request_iid: iid } },
        }),
      ),
  });

/** File and line, where the place is one. */
export function placeOf(location: unknown): string | null {
  const { file, start_line: line } = (location ?? {}) as { file?: unknown; start_line?: unknown };
  if (typeof file !== 'string') return null;
  return typeof line === 'number' ? `${file}:${line}` : file;
}
