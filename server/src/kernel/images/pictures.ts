/**
 * Pictures of people, groups, projects and topics as their rows have them: the key of the object and, behind a slash, the
 * file name that their addresses end with.
 */

const extensions: Readonly<Record<string, readonly string[]>> = {
  'image/png': ['png'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/gif': ['gif'],
  'image/webp': ['webp'],
  'image/bmp': ['bmp'],
  'image/vnd.microsoft.icon': ['ico'],
  'image/svg+xml': ['svg'],
  'image/avif': ['avif'],
};

const longestName = 100;

/** What a row keeps of an uploaded picture: letters, digits and `-_.` of its name, with an extension of its type. */
export function storedPicture(key: string, uploadedAs: string, type: string): string {
  const [extension = 'png', ...others] = extensions[type] ?? [];
  const base = uploadedAs.split(/[/\\]/).at(-1) ?? '';
  const [, stem = '', given = ''] = /^\.*(.*?)(?:\.([^.]*))?$/s.exec(base) ?? [];
  const plain = stem
    .normalize('NFC')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '_')
    .slice(0, longestName);
  const kept = [extension, ...others].find((each) => each === given.toLowerCase()) ?? extension;
  return `${key}/${/[A-Za-z0-9]/.test(plain) ? plain : 'avatar'}.${kept}`;
}

/** The key of the object. */
export const pictureKey = (stored: string): string => stored.split('/', 1)[0] ?? '';

/** The last part of the address. */
export const pictureFile = (stored: string): string => stored.slice(stored.lastIndexOf('/') + 1);

/** The last part of its address before addresses had names: requests for it are redirected. Null where it is the present one. */
export const formerPictureFile = (stored: string): string | null => (stored.includes('/') ? pictureKey(stored) : null);

/** Names the bytes, so that caches ask for the same file name again. */
export const pictureTag = (stored: string): string => `"${pictureKey(stored)}"`;
