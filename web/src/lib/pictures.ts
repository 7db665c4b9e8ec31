/** Pictures of repositories: the server sends all files as text, so their bytes are given a type here. */
import { queryOptions } from '@tanstack/react-query';
import { previewOf } from './previews.ts';

/** By the name of the file; null for what is no picture. */
export function pictureType(path: string): string | null {
  const preview = previewOf(path);
  return preview?.kind === 'picture' ? preview.type : null;
}

/** The contents as an address of their own: pictures may come from nowhere else. */
const asData = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error('The file cannot be read'));
    reader.readAsDataURL(blob);
  });

/** `version` is what the contents are known by, so that a changed file is fetched anew. */
export const pictureData = (address: string, type: string, version = '') =>
  queryOptions({
    queryKey: ['picture', address, type, version],
    async queryFn() {
      const answer = await fetch(address);
      if (!answer.ok) throw new Error(`The server answered ${answer.status}`);
      return await asData(new Blob([await answer.arrayBuffer()], { type }));
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
