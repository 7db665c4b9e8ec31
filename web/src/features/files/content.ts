/** Contents of files as the API sends them. */

/** Base64 to bytes. */
const decodeBytes = (content: string): Uint8Array => Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));

/** Base64 to text; null for what is no text. */
export function decodeText(content: string): string | null {
  const bytes = decodeBytes(content);
  if (bytes.subarray(0, 8_000).includes(0)) return null;
  return new TextDecoder().decode(bytes);
}
