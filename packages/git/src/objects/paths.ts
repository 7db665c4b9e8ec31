/** Which paths may be written into a tree: git's own protections for all platforms, not only for this one. */

/** Characters that HFS+ ignores: `.g\u200cit` is `.git` there. */
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;
const MAX_PATH_BYTES = 4096;

/** `.git` as any supported file system may read it, and its NTFS short name. */
function isDotGit(part: string): boolean {
  const plain = part.replace(HFS_IGNORED, '').toLowerCase();
  // NTFS drops trailing dots and spaces, and a colon starts a stream name.
  const ntfs = (plain.split(':')[0] ?? '').replace(/[. ]+$/, '');
  return ntfs === '.git' || ntfs === 'git~1';
}

/**
 * The components of a path that may be written, or null: empty, absolute, `.`, `..`, `.git` in any disguise, control
 * characters, backslash next to `.git`, more than 4,096 bytes.
 */
export function writablePath(path: string): string[] | null {
  if (path === '' || Buffer.byteLength(path) > MAX_PATH_BYTES || /\p{Cc}/u.test(path) || !path.isWellFormed())
    return null;
  const parts = path.split('/');
  for (const part of parts) {
    if (part === '' || part === '.' || part === '..' || Buffer.byteLength(part) > 255) return null;
    if (part.split('\\').some(isDotGit)) return null;
  }
  return parts;
}
