/** Burnup and burndown of milestones and iterations, and the velocity of cadences. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from './api.ts';
import type { PlaceKind } from './planning.ts';

export type BurnupReport = Schemas['BurnupReport'];
export type Velocity = Schemas['IterationVelocity'];
export type Measure = 'count' | 'weight';

export const burnupReport = (place: PlaceKind, path: string, kind: 'milestone' | 'iteration', id: number) =>
  queryOptions({
    queryKey: [place, path, kind, id, 'burnup'],
    queryFn: () => {
      const base = (place === 'project' ? '/projects/{id}' : '/groups/{id}') as '/groups/{id}';
      return kind === 'milestone'
        ? unwrap(
            client.GET(`${base}/milestones/{milestone_id}/burnup_report` as const, {
              params: { path: { id: path, milestone_id: id } },
            }),
          )
        : unwrap(
            client.GET(`${base}/iterations/{iteration_id}/burnup_report` as const, {
              params: { path: { id: path, iteration_id: id } },
            }),
          );
    },
  });

export const velocity = (path: string, cadenceId: number) =>
  queryOptions({
    queryKey: ['group', path, 'cadence', cadenceId, 'velocity'],
    queryFn: () =>
      unwrap(
        client.GET('/groups/{id}/iteration_cadences/{cadence_id}/velocity', {
          params: { path: { id: path, cadence_id: cadenceId }, query: { per_page: 10 } },
        }),
      ),
  });
