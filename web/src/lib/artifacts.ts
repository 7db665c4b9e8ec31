/** Files inside the archive of a job. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrapPage } from './api.ts';

interface ArtifactPlace {
  readonly path?: string | undefined;
  readonly page?: number | undefined;
}

export const artifactTree = (id: string, jobId: number, { path = '', page = 1 }: ArtifactPlace) =>
  queryOptions({
    queryKey: ['project', id, 'job', jobId, 'artifacts', path, page],
    queryFn: () =>
      unwrapPage(
        client.GET('/projects/{id}/jobs/{job_id}/artifacts/tree', {
          params: { path: { id, job_id: jobId }, query: { page, per_page: 100, ...(path === '' ? {} : { path }) } },
        }),
      ),
  });

export const artifactUrl = (projectId: number, jobId: number, path: string) =>
  `/api/v4/projects/${projectId}/jobs/${jobId}/artifacts/${path.split('/').map(encodeURIComponent).join('/')}`;

/** Largest file that is shown in the page. */
export const previewBytes = 1024 * 1024;

const images: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

export interface Preview {
  readonly kind: 'text' | 'page' | 'markdown' | 'image' | 'binary';
  readonly text: string;
}

/** A page of an artifact for a frame without an origin: its styles and pictures count, its scripts and addresses do not. */
export const frameOf = (html: string): string =>
  `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"><meta name="color-scheme" content="light">${html}`;

/** A text with its kind by the name of its file. */
export function textPreview(path: string, text: string): Preview {
  if (text.includes('\0')) return { kind: 'binary', text: '' };
  if (/\.x?html?$/i.test(path)) return { kind: 'page', text };
  if (/\.(md|markdown)$/i.test(path)) return { kind: 'markdown', text };
  return { kind: 'text', text };
}

const dataUrl = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });

/** A file as something that can be shown: text and what it stands for, or an image that the browser only decodes. */
export const artifactPreview = (projectId: number, jobId: number, path: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'job', jobId, 'artifact-preview', path],
    async queryFn(): Promise<Preview> {
      const response = await fetch(artifactUrl(projectId, jobId, path));
      if (!response.ok) throw new Error(`The file could not be read (${response.status})`);
      const bytes = await response.arrayBuffer();
      const type = images[path.split('.').at(-1)?.toLowerCase() ?? ''];
      if (type) return { kind: 'image', text: await dataUrl(new Blob([bytes], { type })) };
      try {
        return textPreview(path, new TextDecoder('utf-8', { fatal: true }).decode(bytes));
      } catch {
        return { kind: 'binary', text: '' };
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
