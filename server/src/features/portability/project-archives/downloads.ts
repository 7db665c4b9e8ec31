/** Archives on their way to whoever fetches them: from the storage itself where it can, else through us. */
import { elsewhere, redirectSeconds, streamed } from '../../../kernel/http/route.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';

export interface KeptFile {
  readonly key: string;
  readonly size: number;
  readonly filename: string;
}

export async function archiveAnswer(
  objects: Pick<ObjectStore, 'get' | 'signedUrl'>,
  request: { readonly method?: string | undefined },
  { key, size, filename }: KeptFile,
  disposition: string = `attachment; filename*=UTF-8''${encodeURIComponent(filename)}`,
) {
  const contentType = 'application/gzip';
  const address =
    request.method === 'GET' ? await objects.signedUrl(key, { seconds: redirectSeconds, filename, contentType }) : null;
  if (address !== null) return elsewhere(address);
  return streamed(async () => objects.get(key), contentType, {
    ETag: `"${key}"`,
    'Content-Length': String(size),
    'Content-Disposition': disposition,
  });
}
