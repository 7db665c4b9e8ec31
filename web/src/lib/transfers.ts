/** Archives of projects. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './api.ts';

export const projectExport = (path: string) =>
  queryOptions({
    queryKey: ['project', path, 'export'],
    queryFn: () => unwrap(client.GET('/projects/{id}/export', { params: { path: { id: path } } })),
  });

/** What became of the import that a project was made by. */
export const projectImport = (path: string) =>
  queryOptions({
    queryKey: ['project', path, 'import'],
    queryFn: () => unwrap(client.GET('/projects/{id}/import', { params: { path: { id: path } } })),
  });

/** Begins to make a project of an archive; its content follows. `namespace` is an id. */
export function importProject(wanted: { file: File; name: string; path: string; namespace: string }) {
  const form = new FormData();
  form.append('name', wanted.name);
  form.append('path', wanted.path);
  if (wanted.namespace) form.append('namespace', wanted.namespace);
  form.append('file', wanted.file);
  const body = { file: '', path: wanted.path };
  return unwrap(client.POST('/projects/import', { body, bodySerializer: () => form }));
}
