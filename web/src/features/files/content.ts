/** Contents of files as the API sends them. */

/** Base64 to bytes. */
const decodeBytes = (content: string): Uint8Array => Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));

/** Base64 to text; null for what is no text. */
export function decodeText(content: string): string | null {
  const bytes = decodeBytes(content);
  if (bytes.subarray(0, 8_000).includes(0)) return null;
  return new TextDecoder().decode(bytes);
}

/** Base64 to text that becomes the same bytes again; null where it would not. */
export function editableText(content: string): string | null {
  const bytes = decodeBytes(content);
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A text as fields of forms have it, with the ends of lines of the text that it came from. */
export const withEndsOf = (original: string, typed: string): string =>
  original.includes('\r\n') ? typed.replaceAll(/\r?\n/g, '\r\n') : typed;

/** Bytes of the object of Git LFS that a file only points at; null for other files. */
export function largeFileSize(text: string): number | null {
  const found =
    /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:[0-9a-f]{64}\nsize (\d{1,15})\n?$/.exec(
      text,
    )?.[1];
  return text.length > 200 || found === undefined ? null : Number(found);
}
