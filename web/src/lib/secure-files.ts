/** Certificates, keystores and profiles of a project that its jobs fetch. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type SecureFile = Schemas['SecureFile'];

export const secureFiles = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['project', id, 'secure-files'],
    queryFn: ({ pageParam }) =>
      unwrapPage(
        client.GET('/projects/{id}/secure_files', {
          params: { path: { id }, query: { per_page: 50, page: pageParam } },
        }),
      ),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

export function addSecureFile(id: string, name: string, file: File) {
  const form = new FormData();
  form.append('name', name);
  form.append('file', file);
  const params = { path: { id } };
  const body = { name, file: '' };
  return unwrap(client.POST('/projects/{id}/secure_files', { params, body, bodySerializer: () => form }));
}

export const deleteSecureFile = (id: string, file: number) =>
  unwrap(
    client.DELETE('/projects/{id}/secure_files/{secure_file_id}', {
      params: { path: { id, secure_file_id: file } },
    }),
  );

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** What a certificate or profile calls itself; null for other files. */
export function contentOf({ metadata }: Pick<SecureFile, 'metadata'>): string | null {
  if (typeof metadata !== 'object' || metadata === null) return null;
  const { app_name: app, team_name: team, subject } = metadata as Record<string, unknown>;
  if (text(app)) return [text(app), text(team)].filter(Boolean).join(' · ');
  if (typeof subject !== 'object' || subject === null) return null;
  const { CN, O } = subject as Record<string, unknown>;
  return text(CN) ?? text(O);
}
