/** What of a file can be shown beside its text, by its name. Pure. */

const pictures: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
  bmp: 'image/bmp',
  svg: 'image/svg+xml',
};
const sounds: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
};
const films: Readonly<Record<string, string>> = {
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  webm: 'video/webm',
  ogv: 'video/ogg',
  mov: 'video/quicktime',
};

export interface Preview {
  readonly kind: 'picture' | 'sound' | 'film';
  /** What its bytes are shown as; never a document that could run something. */
  readonly type: string;
}

export function previewOf(name: string): Preview | null {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  for (const [kind, types] of [
    ['picture', pictures],
    ['sound', sounds],
    ['film', films],
  ] as const)
    if (Object.hasOwn(types, extension)) return { kind, type: types[extension] ?? '' };
  return null;
}

/** More bytes than this are offered as a file only. */
export const mostBytes = { text: 2_000_000, picture: 10_000_000, sound: 50_000_000, film: 100_000_000 } as const;
