/** Conditional requests: ETags of answers, and deletes that name the state they mean. */
import { hash } from 'node:crypto';
import { preconditionFailed } from './errors.ts';
import { parseDateTime } from './params/dates.ts';

/** A weak ETag of a serialised answer. SHA-1 is the fastest of the hashes at hand; nothing is proved by it. */
export const etagOf = (text: string | Buffer): string => `W/"${hash('sha1', text, 'hex')}"`;

const opaque = (tag: string) => tag.trim().replace(/^W\//, '');

/** Whether an `If-None-Match` header has the tag, compared weakly as for every read. */
export function etagMatches(header: string | undefined, etag: string | undefined): boolean {
  if (header === undefined || etag === undefined) return false;
  if (header.trim() === '*') return true;
  const wanted = opaque(etag);
  return header.split(',').some((tag) => opaque(tag) === wanted);
}

/** A date of HTTP, or one as the API writes it; what `Date` makes of other texts is a guess. */
function dateOf(text: string): number | null {
  const iso = parseDateTime(text);
  if (iso) return iso.getTime();
  const time = /^[A-Za-z]{3,9},? .*\d\d:\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

/** Throws 412 when the resource changed after the header's date. What is not a date is no condition. */
export function requireUnmodifiedSince(header: string | undefined, changedAt: Date | null): void {
  if (header === undefined || changedAt === null) return;
  const since = dateOf(header);
  // Dates of HTTP have seconds: a change within the named second is the one that the client saw.
  if (since !== null && Math.floor(changedAt.getTime() / 1000) * 1000 > since) throw preconditionFailed();
}
