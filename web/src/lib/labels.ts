/** Labels of a group or a project, as queries with their keys and what changes them. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll } from './api.ts';

/** A label as both lists have it; a project's list says which ones are its own. */
type ManagedLabel = Pick<Schemas['Label'], 'id' | 'name' | 'color' | 'description'> & {
  readonly is_project_label?: boolean;
};

interface LabelFields {
  readonly name: string;
  readonly description: string;
  readonly color: string;
}

/** Where labels belong to. */
export interface LabelPlace {
  readonly kind: 'group' | 'project';
  readonly path: string;
}

export const labelsOf = ({ kind, path }: LabelPlace) =>
  queryOptions({
    queryKey: [kind, path, 'labels', 'managed'],
    queryFn: (): Promise<ManagedLabel[]> => {
      const params = { path: { id: path }, query: { per_page: 100 } };
      return kind === 'group'
        ? unwrapAll(client.GET('/groups/{id}/labels', { params }))
        : unwrapAll(client.GET('/projects/{id}/labels', { params }));
    },
  });

export function createLabel({ kind, path }: LabelPlace, body: LabelFields): Promise<unknown> {
  const params = { path: { id: path } };
  return kind === 'group'
    ? unwrap(client.POST('/groups/{id}/labels', { params, body }))
    : unwrap(client.POST('/projects/{id}/labels', { params, body }));
}

export function deleteLabel({ kind, path }: LabelPlace, labelId: number): Promise<unknown> {
  const params = { path: { id: path, label_id: String(labelId) } };
  return kind === 'group'
    ? unwrap(client.DELETE('/groups/{id}/labels/{label_id}', { params }))
    : unwrap(client.DELETE('/projects/{id}/labels/{label_id}', { params }));
}
