/** What an image is by its bytes: names and senders are not believed. */

const startsWith = (bytes: Buffer, text: string, at = 0) =>
  bytes.subarray(at, at + text.length).toString('latin1') === text;

/** The media type of a raster image; null for everything else. SVG is a document: see `isSvg`. */
export function imageType(bytes: Buffer): string | null {
  if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (startsWith(bytes, '\xff\xd8\xff')) return 'image/jpeg';
  if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return 'image/gif';
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return 'image/webp';
  if (startsWith(bytes, 'BM') && bytes.length > 26 && bytes.readUInt32LE(2) === bytes.length) return 'image/bmp';
  if (startsWith(bytes, '\0\0\x01\0')) return 'image/vnd.microsoft.icon';
  return null;
}

/** What may stand before the root element of an SVG document. */
const prologue = /^(?:\ufeff|\s+|<\?xml[^>]{0,200}\?>|<!--[\s\S]{0,4000}?-->|<!DOCTYPE\s+svg[^[>]{0,400}>)/i;

function isSvg(bytes: Buffer): boolean {
  let head = bytes.subarray(0, 8192).toString('utf8');
  for (let match = prologue.exec(head); match !== null; match = prologue.exec(head)) head = head.slice(match[0].length);
  return /^<svg[\s>/]/i.test(head);
}

/**
 * The media type of an image for an `img` element, SVG and AVIF included. An SVG document runs scripts when it is opened by
 * itself: whoever sends one sends `inertImageHeaders` with it.
 */
export function displayableImageType(bytes: Buffer): string | null {
  const raster = imageType(bytes);
  if (raster !== null) return raster;
  if (startsWith(bytes, 'ftypavif', 4)) return 'image/avif';
  return isSvg(bytes) ? 'image/svg+xml' : null;
}

/** Headers under which nothing in an image runs or loads anything, not even in one that is opened by itself. */
export const inertImageHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;
