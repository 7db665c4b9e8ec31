/** One image from another server: asked for without anything of the reader, taken only if its bytes are an image. */
import type { Outbound } from '../outbound/index.ts';
import type { CachedImage } from './cache.ts';
import { displayableImageType } from './image-type.ts';

/** Why an image is not shown. */
export interface ImageFailure {
  readonly message: string;
}

const minute = 60_000;
const hour = 60 * minute;
const shortest = 5 * minute;
const longest = 24 * hour;

/**
 * How long an image is kept before it is asked for again: as its server says, within bounds. Badges say "not at all", and
 * are looked at by many.
 */
export function freshness(cacheControl: string | undefined): number {
  if (cacheControl === undefined) return hour;
  if (/\b(no-store|no-cache|private)\b/i.test(cacheControl)) return shortest;
  const [, seconds] = /\b(?:s-maxage|max-age)=(\d{1,9})/i.exec(cacheControl) ?? [];
  return seconds === undefined ? hour : Math.min(Math.max(Number(seconds) * 1000, shortest), longest);
}

export async function fetchImage(
  outbound: Pick<Outbound, 'send'>,
  url: string,
  maximumBytes: number,
  now: number,
): Promise<CachedImage | ImageFailure> {
  const answer = await outbound.send({
    url,
    kind: 'image',
    headers: { Accept: 'image/*', 'User-Agent': 'Millrace image proxy' },
    maximumBytes,
    redirects: 4,
  });
  if (!answer.ok) return { message: `The image could not be fetched: ${answer.message}` };
  if (answer.status !== 200) return { message: `The image could not be fetched: its server answered ${answer.status}` };
  if (answer.truncated) return { message: `The image is larger than max_image_bytes (${maximumBytes} bytes)` };
  const type = displayableImageType(answer.body);
  if (type === null) return { message: 'The address does not lead to an image' };
  return { type, bytes: answer.body, freshUntil: now + freshness(answer.headers['cache-control']) };
}
