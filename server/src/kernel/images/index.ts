/**
 * Images from elsewhere, shown through this server: readers' addresses stay unknown to others, pages load nothing from other
 * origins. Addresses are signed, so that only images of documents are fetched.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpError, noSuchRoute, unavailable } from '../http/errors.ts';
import type { Outbound } from '../outbound/index.ts';
import type { Secrets } from '../secrets/index.ts';
import type { Settings } from '../settings/index.ts';
import { assetProxyAddresses } from './asset-proxy.ts';
import { type CachedImage, createImageCache } from './cache.ts';
import { fetchImage, type ImageFailure } from './fetching.ts';
import { inertImageHeaders } from './image-type.ts';

export { assetProxyOrigin } from './asset-proxy.ts';
export { displayableImageType, imageType, inertImageHeaders } from './image-type.ts';
export { formerPictureFile, pictureFile, pictureKey, storedPicture } from './pictures.ts';
export { type Picture, type PictureRules, readPicture, sendPicture, storePicture } from './stored.ts';

export interface Images {
  /** How images of documents are addressed, by the settings as they are now. */
  addresses(): Promise<ImageAddresses>;
  mount(server: FastifyInstance): void;
}

/** The address, or the path on this instance, under which an image from elsewhere is shown; null where it cannot be. */
export type ImageAddresses = (url: string) => string | null;

export interface ImagesDependencies {
  /** Without a trailing slash. */
  readonly externalUrl: string;
  readonly secrets: Pick<Secrets, 'sign' | 'verify'>;
  readonly outbound: Pick<Outbound, 'send'>;
  readonly settings: Pick<Settings, 'read'>;
  /** The data directory. */
  readonly data: string;
  readonly limits: { readonly maxImageBytes: number; readonly imageCacheBytes: number };
  /** Of the clock; another one in tests. */
  readonly now?: () => number;
}

const prefix = '/-/images';
const purpose = 'image address';
/** Longer ones would not pass through every proxy as one path. */
const maximumUrlLength = 4096;
/** Requests to other servers at once, and those that wait for one of them. */
const maximumFetches = 8;
const maximumWaiting = 200;
/** How long a failure is remembered, and of how many addresses. */
const failureMilliseconds = 60_000;
const maximumFailures = 1000;

export function createImages(deps: ImagesDependencies): Images {
  const { externalUrl, secrets, now = Date.now } = deps;
  const cache = createImageCache(path.join(deps.data, 'image-cache'), deps.limits.imageCacheBytes);
  const running = new Map<string, Promise<CachedImage | ImageFailure>>();
  const failures = new Map<string, { readonly failure: ImageFailure; readonly until: number }>();
  const waiting: (() => void)[] = [];
  let fetching = 0;

  async function limited<T>(work: () => Promise<T>): Promise<T> {
    if (fetching >= maximumFetches) {
      if (waiting.length >= maximumWaiting) throw unavailable('too many images are being fetched');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else fetching += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else fetching -= 1;
    }
  }

  /** Fetches and keeps; what was kept before stands in where the other server fails. */
  async function renewed(url: string, before: CachedImage | null): Promise<CachedImage | ImageFailure> {
    const found = await limited(() => fetchImage(deps.outbound, url, deps.limits.maxImageBytes, now()));
    if ('bytes' in found) {
      await cache.put(url, found);
      return found;
    }
    failures.delete(url);
    failures.set(url, { failure: found, until: now() + failureMilliseconds });
    for (const oldest of failures.keys()) {
      if (failures.size <= maximumFailures) break;
      failures.delete(oldest);
    }
    return before ?? found;
  }

  async function image(url: string): Promise<CachedImage | ImageFailure> {
    const kept = await cache.get(url);
    if (kept && kept.freshUntil > now()) return kept;
    const failed = failures.get(url);
    if (failed && failed.until > now()) return kept ?? failed.failure;
    // Everybody who looks at a page at once waits for one request.
    const begun = running.get(url) ?? renewed(url, kept).finally(() => running.delete(url));
    running.set(url, begun);
    return await begun;
  }

  async function send(request: FastifyRequest, reply: FastifyReply, url: string): Promise<FastifyReply> {
    const found = await image(url);
    if (!('bytes' in found)) {
      const seconds = Math.ceil(failureMilliseconds / 1000);
      throw new HttpError(502, { message: found.message }, { 'Cache-Control': `private, max-age=${seconds}` });
    }
    const etag = `"${createHash('sha256').update(found.bytes).digest('base64url')}"`;
    const seconds = Math.max(60, Math.floor((found.freshUntil - now()) / 1000));
    reply.headers({ ...inertImageHeaders, ETag: etag, 'Cache-Control': `public, max-age=${seconds}` });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.header('Content-Type', found.type).send(found.bytes);
  }

  return {
    addresses: async () => {
      const throughProxy = assetProxyAddresses(await deps.settings.read());
      return (url) => {
        const parsed = URL.parse(url);
        if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return null;
        if (parsed.origin === new URL(externalUrl).origin) return parsed.pathname + parsed.search;
        // What proves its author to that server is not for those who read the document.
        parsed.username = '';
        parsed.password = '';
        parsed.hash = '';
        if (parsed.href.length > maximumUrlLength) return null;
        const proxied = throughProxy?.(parsed);
        if (proxied) return proxied;
        const signature = secrets.sign(parsed.href, purpose);
        return `${prefix}/${signature}/${Buffer.from(parsed.href).toString('base64url')}`;
      };
    },
    mount(server) {
      server.get<{ Params: { signature: string; url: string } }>(
        `${prefix}/:signature/:url`,
        async (request, reply) => {
          const { signature, url } = request.params;
          const address = Buffer.from(url, 'base64url').toString('utf8');
          // Before anything is looked up, opened or asked.
          if (!secrets.verify(address, signature, purpose)) throw noSuchRoute();
          return await send(request, reply, address);
        },
      );
    },
  };
}
