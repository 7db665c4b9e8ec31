/** What uploaded files are called, linked to as, and sent as. */
import type { Upload } from './uploads.queries.ts';

/** Names of files end here in most file systems; in bytes. */
const longestName = 255;
const pictures: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  bmp: 'image/bmp',
  ico: 'image/vnd.microsoft.icon',
  tiff: 'image/tiff',
};
const players: Readonly<Record<string, string>> = {
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  ogv: 'video/ogg',
  mp3: 'audio/mpeg',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
};
/** What a browser may show. Neither SVG nor HTML: both are programs. */
const shown: Readonly<Record<string, string>> = { ...pictures, ...players };
/** Those that Markdown embeds; SVG is embedded as a picture, where it cannot run. */
const embedded: ReadonlySet<string> = new Set([...Object.keys(shown), 'svg']);

/** Everything that an upload is sent as. */
export const uploadTypes: readonly string[] = [...new Set([...Object.values(shown), 'application/octet-stream'])];

const extensionOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

/** A client's name for a file as one that fits into an address and a link: letters, digits, `.`, `-`, `+` and `_`. */
export function safeName(given: string): string {
  const last = given.normalize('NFC').replaceAll('\\', '/').split('/').at(-1) ?? '';
  const plain = last.replaceAll(/[^\p{L}\p{M}\p{N}_.+-]/gu, '_');
  const name = /^\.*$/.test(plain) ? `_${plain}` : plain;
  if (Buffer.byteLength(name) <= longestName) return name;
  const ending = /\.[^.]{1,20}$/.exec(name)?.[0] ?? '';
  let start = name.slice(0, name.length - ending.length);
  while (Buffer.byteLength(start + ending) > longestName) start = [...start].slice(0, -1).join('');
  return start + ending;
}

/** What stands for a file in Markdown: shown where it can be, else a link. */
export function markdownOf(name: string, url: string): { readonly alt: string; readonly markdown: string } {
  const embeds = embedded.has(extensionOf(name));
  const alt = embeds ? name.replace(/\.[^.]+$/, '') : name;
  return { alt, markdown: `${embeds ? '!' : ''}[${alt}](${url})` };
}

/** Whether a file is shown where it is asked for, without being downloaded. */
export const isPicture = (name: string): boolean => extensionOf(name) in pictures;

/** How a file is sent: nothing in it is ever a page of this site. */
export function headersOf({ file_name: name, size }: Pick<Upload, 'file_name' | 'size'>): {
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const type = shown[extensionOf(name)];
  const plain = name.replaceAll(/[^A-Za-z0-9._+-]/g, '_');
  const disposition = `filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`;
  return {
    type: type ?? 'application/octet-stream',
    headers: {
      'Content-Disposition': `${type ? 'inline' : 'attachment'}; ${disposition}`,
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Content-Length': String(size),
    },
  };
}
