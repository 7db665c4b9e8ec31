/** Files that texts of the hosted provider show or link to: fetched from there, kept as uploads, and linked to here. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Outbound } from '../../../kernel/outbound/index.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import { safeFileName as safeName } from '../../collaboration/index.ts';
import type { LinkedTexts } from '../../namespaces/index.ts';
import { ProviderError } from './client.ts';
import { fetchedFile, type SentFile } from './fetched-file.ts';
import type { Part, PartTarget } from './provider.ts';

export interface AttachmentSource {
  readonly outbound: Pick<Outbound, 'open'>;
  readonly signal: AbortSignal;
  /** Where the pages of the server are, without a slash at the end. */
  readonly origin: string;
  /** `owner/name` there. */
  readonly repository: string;
  readonly token: string;
}

/** Where the public installation keeps what was attached before it had addresses of its own for that. */
const publicStores = ['user-images.githubusercontent.com', 'private-user-images.githubusercontent.com'];

/** The beginnings of addresses of attachments; nothing else is fetched, whatever a text links to. */
export function attachmentPlaces({ origin, repository }: Pick<AttachmentSource, 'origin' | 'repository'>): string[] {
  const own = ['/user-attachments', `/${repository}`].flatMap((path) =>
    ['assets', 'files'].map((kind) => `${origin}${path}/${kind}/`),
  );
  return origin === 'https://github.com' ? [...own, ...publicStores.map((host) => `https://${host}/`)] : own;
}

/**
 * Addresses of attachments in a text, each once. What is fetched with our token is what the whole address means: one that
 * climbs out of its folder names something else that the token may read.
 */
export function attachmentsIn(text: string, places: readonly string[]): string[] {
  const found = new Set<string>();
  for (const [match] of text.matchAll(/https?:\/\/[^\s"'<>()[\]\\`]+/g)) {
    const url = match.replace(/[.,;:!?]+$/, '');
    const meant = URL.parse(url)?.href ?? '';
    if (places.some((place) => [url, meant].every((each) => each.startsWith(place) && each.length > place.length)))
      found.add(url);
  }
  return [...found];
}

const endings: ReadonlyMap<string, string> = new Map([
  ['image/png', '.png'],
  ['image/jpeg', '.jpg'],
  ['image/gif', '.gif'],
  ['image/webp', '.webp'],
  ['image/svg+xml', '.svg'],
  ['video/mp4', '.mp4'],
  ['video/quicktime', '.mov'],
  ['video/webm', '.webm'],
  ['application/pdf', '.pdf'],
  ['application/zip', '.zip'],
  ['text/plain', '.txt'],
]);

/** What a file is called: as the server says, else by its address and kind. */
export function attachmentName(url: string, { disposition, type }: Pick<SentFile, 'disposition' | 'type'>): string {
  const [, said] = /filename="?([^";]+)"?/.exec(disposition ?? '') ?? [];
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  const name = safeName(said ?? last);
  return /\.[^.]{1,10}$/.test(name) ? name : `${name}${endings.get(type?.split(';')[0]?.trim() ?? '') ?? ''}`;
}

/** Characters of a secret, in hexadecimal digits. */
const secretBytes = 16;

/**
 * Rewrites texts one by one: an import that goes on meets only those that still link elsewhere. The secret of a file follows from
 * its address there, so that what an interrupted attempt has brought is found again.
 */
export function attachmentPart(
  source: AttachmentSource,
  to: PartTarget,
  {
    db,
    secrets,
    texts,
  }: { readonly db: Db; readonly secrets: Pick<Secrets, 'sign'>; readonly texts: readonly LinkedTexts[] },
): Part {
  const places = attachmentPlaces(source);
  /** Links here by addresses there, and null for those that did not come. */
  const links = new Map<string, string | null>();

  const secretOf = (url: string): string =>
    Buffer.from(secrets.sign(`${to.owner.kind} ${to.owner.id} ${url}`, 'attachment of an import'), 'base64url')
      .subarray(0, secretBytes)
      .toString('hex');

  /** Whether an attempt before this one has brought it. */
  async function known(url: string): Promise<boolean> {
    const secret = secretOf(url);
    const name = await to.files.uploadName(to.owner, secret);
    if (name !== null) links.set(url, `/uploads/${secret}/${name}`);
    return name !== null;
  }

  async function fetched(url: string): Promise<string | null> {
    const secret = secretOf(url);
    const request = { ...source, url, authorization: `Bearer ${source.token}`, largest: to.largest };
    const reason = await fetchedFile(request, async (sent) => {
      const line = { secret, file_name: attachmentName(url, sent), uploaded_by: null, created_at: new Date() };
      const entry = { name: line.file_name, size: sent.size, body: sent.body };
      const kept = await to.files.takeUpload(to.owner, line, to.target.importerId, entry, source.signal);
      if (kept === null) links.set(url, `/uploads/${secret}/${line.file_name}`);
      return kept;
    }).catch((error: unknown) => {
      if (error instanceof ProviderError) return error.message;
      throw error;
    });
    if (reason === null) return null;
    links.set(url, null);
    return `${url}: ${reason}`;
  }

  return {
    name: 'attachments',
    async *take() {
      // What an interrupted attempt has brought counts, too.
      for (let brought = await to.files.uploadCount(to.owner); brought > 0; brought -= 1) yield null;
      for (const each of texts)
        for await (const rows of each.having(db, to.owner.id, places))
          for (const row of rows) {
            source.signal.throwIfAborted();
            let { text } = row;
            // The longest first: one address may begin as another one does.
            for (const url of attachmentsIn(text, places).sort((a, b) => b.length - a.length)) {
              if (!links.has(url) && !(await known(url))) yield await fetched(url);
              const link = links.get(url);
              if (link) text = text.replaceAll(url, link);
            }
            if (text !== row.text) await each.rewrite(db, row, text);
          }
    },
  };
}
