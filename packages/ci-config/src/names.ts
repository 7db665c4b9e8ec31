/** What names of refs, jobs and environments become in variables. */
import { createHash } from 'node:crypto';

/** `My Branch/x` to `my-branch-x`, at most 63 characters: usable in host names. */
export function nameSlug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');
}

/** What instances of one job have in common: their name without their number or values. */
export const groupName = (name: string): string => name.replace(/\s+\d+[\s:/\\]+\d+\s*$/, '').replace(/: \[.*\]$/, '');

const maxSlugLength = 24;
/** Characters of a slug that has a suffix, without it. */
const slugStem = 17;
const suffixLength = 6;

/**
 * `review/My branch` to `review-my-branch-x1y2z3`, at most 24 characters: usable in host names. A name that changes gets a
 * suffix of its hash, with the salt where another environment has that slug.
 */
export function environmentSlug(name: string, salt = ''): string {
  let text = name.toLowerCase().replace(/[^a-z0-9]/g, '-');
  if (!/^[a-z]/.test(text)) text = `env-${text}`;
  text = text.replace(/-+/g, '-');
  if (text === name && text.length <= maxSlugLength && salt === '') return text.replace(/-$/, '');
  const hash = BigInt(
    `0x${createHash('sha256')
      .update(name + salt)
      .digest('hex')}`,
  ).toString(36);
  return `${text.slice(0, slugStem).replace(/-$/, '')}-${hash.slice(-suffixLength)}`;
}
