/** Vulnerabilities of a project: the list, the trend, and what people decide. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type Vulnerability = Schemas['Vulnerability'];
export type Decision = 'confirm' | 'resolve' | 'dismiss' | 'revert';

export interface VulnerabilityFilter {
  readonly page?: number | undefined;
  readonly state?: string | undefined;
  readonly severity?: string | undefined;
  readonly report_type?: string | undefined;
}

export const vulnerabilitiesKey = (path: string) => ['project', path, 'vulnerabilities'];
/** Those that somebody has still to do something about. */
const open = 'detected,opened,confirmed';

export const vulnerabilities = (path: string, { page = 1, state, severity, report_type: type }: VulnerabilityFilter) =>
  queryOptions({
    queryKey: [...vulnerabilitiesKey(path), { page, state, severity, type }],
    queryFn: () => {
      const query = {
        ...{ page, per_page: 20, order_by: 'severity' as const },
        ...(state === 'all' ? {} : { state: state ?? open }),
        ...(severity ? { severity } : {}),
        ...(type ? { report_type: type } : {}),
      };
      return unwrapPage(
        client.GET('/projects/{id}/vulnerabilities', { params: { path: { id: path }, query: query as object } }),
      );
    },
  });

export const vulnerabilityTrend = (path: string) =>
  queryOptions({
    queryKey: [...vulnerabilitiesKey(path), 'trend'],
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
