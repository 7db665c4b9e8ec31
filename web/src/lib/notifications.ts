/** Which mails a person wants: everywhere, and from single groups and projects. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from './api.ts';

export type Level = Schemas['NotificationSetting']['level'];
export interface Place {
  readonly kind: 'group' | 'project';
  readonly id: number;
}
/** A level, or single events by their names. */
export type Values = { level?: Level } | Record<string, boolean>;

const pathOf = ({ id }: Place) => ({ id: String(id) });

export const everywhere = () =>
  queryOptions({ queryKey: ['notifications'], queryFn: () => unwrap(client.GET('/notification_settings')) });
export const setting = (place: Place) =>
  queryOptions({
    queryKey: ['notifications', place.kind, place.id],
    queryFn: () =>
      place.kind === 'group'
        ? unwrap(client.GET('/groups/{id}/notification_settings', { params: { path: pathOf(place) } }))
        : unwrap(client.GET('/projects/{id}/notification_settings', { params: { path: pathOf(place) } })),
  });

export const saveEverywhere = (body: Values | { notification_email: string }) =>
  unwrap(client.PUT('/notification_settings', { body }));
export const save = (place: Place, body: Values) =>
  place.kind === 'group'
    ? unwrap(client.PUT('/groups/{id}/notification_settings', { params: { path: pathOf(place) }, body }))
    : unwrap(client.PUT('/projects/{id}/notification_settings', { params: { path: pathOf(place) }, body }));

const most = 50;
export const ownGroups = () =>
  queryOptions({
    queryKey: ['groups', 'mine'],
    queryFn: () => unwrap(client.GET('/groups', { params: { query: { min_access_level: 10, per_page: most } } })),
  });
export const ownProjects = () =>
  queryOptions({
    queryKey: ['projects', 'mine'],
    queryFn: () =>
      unwrap(
        client.GET('/projects', {
          params: { query: { membership: true, order_by: 'last_activity_at', per_page: most } },
        }),
      ),
  });
