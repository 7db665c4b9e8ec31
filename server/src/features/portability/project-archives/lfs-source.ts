/** Objects of Git LFS of a repository elsewhere: asked for in batches, fetched through the guarded way, tried again. */
import { setTimeout as later } from 'node:timers/promises';
import { BrokenOff, lively } from '../../../kernel/outbound/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import { type Row, record, recordIn, text } from './json.ts';

/** As a small file of the repository names it. */
export interface LargeFile {
  readonly oid: string;
  readonly size: number;
}

/** Where a repository is fetched from. */
export interface Remote {
  /** Without name and password. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The address is where the objects of Git LFS are, not the repository's. */
  readonly ofLarge?: true;
}

export const lfsMedia = 'application/vnd.git-lfs+json';
const atOnce = 100;
/** Downloads that run together. */
const together = 4;
const tries = 3;
const answerBytes = 4 * 1024 ** 2;
const patience = { asking: 30_000, sending: 60_000 };
/** Before the second try, in milliseconds; four times that before the third. */
const pause = 250;

/** Why an object did not come, for people. `again` where another try may help. */
class NotFetched extends Error {
  readonly again: boolean;
  constructor(message: string, again = false) {
    super(message);
    this.again = again;
  }
}

interface Download {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Where the other side keeps the objects of a repository: what it said, or by the protocol's own rule. */
export const lfsAddress = ({ url, ofLarge }: Remote): string =>
  ofLarge ? url : `${url.replace(/(?:\.git)?$/, '.git')}/info/lfs`;

const told = (status: number) =>
  status === 401 || status === 403
    ? 'The name and password are not enough to read objects of Git LFS'
    : `The server answered ${status} to a request for objects of Git LFS`;
const worthAnotherTry = (status: number) => status === 429 || status >= 500;

export function lfsSource(deps: Pick<PortabilityDependencies, 'outbound'>) {
  const { outbound } = deps;

  /** Where each of the objects can be fetched, or why it cannot. */
  async function ask(
    remote: Remote,
    objects: readonly LargeFile[],
    signal: AbortSignal,
  ): Promise<Map<string, Download | NotFetched>> {
    const { headers } = remote;
    const address = `${lfsAddress(remote)}/objects/batch`;
    const answer = await outbound.send({
      url: address,
      kind: 'import',
      method: 'POST',
      headers: { ...headers, Accept: lfsMedia, 'Content-Type': lfsMedia, 'User-Agent': 'git-lfs/3.3.0 (millrace)' },
      body: JSON.stringify({ operation: 'download', transfers: ['basic'], hash_algo: 'sha256', objects }),
      timeout: patience.asking,
      maximumBytes: answerBytes,
      signal,
    });
    if (!answer.ok) throw new NotFetched(answer.message, answer.reason !== 'refused' && answer.reason !== 'invalid');
    if (answer.status !== 200) throw new NotFetched(told(answer.status), worthAnotherTry(answer.status));
    const rows = recordIn(answer.body.toString('utf8'))?.objects;
    if (!Array.isArray(rows)) throw new NotFetched('The server does not speak the protocol of Git LFS');
    const found = new Map<string, Download | NotFetched>();
    for (const row of rows.map(record)) {
      const oid = text(row.oid);
      if (oid !== null) found.set(oid, offered(row, address, headers));
    }
    return found;
  }

  /** What the answer says of one object. */
  function offered(row: Row, address: string, proof: Readonly<Record<string, string>>): Download | NotFetched {
    const { code, message } = record(row.error);
    if (row.error !== undefined)
      return new NotFetched(`The server says: ${text(message)?.slice(0, 200) ?? String(code)}`);
    const { href, header } = record(record(row.actions).download);
    const url = text(href) === null ? null : URL.parse(String(href), address);
    if (!url) return new NotFetched('The server does not say where the object is');
    const given = Object.entries(record(header)).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string',
    );
    // What proves us goes nowhere else, and not where the server gave a proof of its own.
    const own = url.origin === new URL(address).origin && row.authenticated !== true;
    return { url: url.href, headers: { ...(own ? proof : {}), ...Object.fromEntries(given) } };
  }

  /** The bytes of an object, given to `take`, which answers why they are not kept. */
  async function download(
    { url, headers }: Download,
    take: (bytes: AsyncIterable<Buffer>) => Promise<string | null>,
    signal: AbortSignal,
  ): Promise<void> {
    const answer = await outbound.open({
      url,
      kind: 'import',
      headers,
      timeout: patience.sending,
      redirects: 3,
      signal,
    });
    if (!answer.ok) throw new NotFetched(answer.message, answer.reason !== 'refused' && answer.reason !== 'invalid');
    try {
      if (answer.status !== 200) throw new NotFetched(told(answer.status), worthAnotherTry(answer.status));
      const reason = await take(received(answer));
      // Bytes that are wrong may have been cut short on the way.
      if (reason !== null) throw new NotFetched(reason, true);
    } finally {
      answer.close();
    }
  }

  /** What breaks off is tried again. */
  async function* received(answer: Parameters<typeof lively>[0]): AsyncGenerator<Buffer> {
    try {
      yield* lively(answer, patience.sending);
    } catch (error) {
      throw error instanceof BrokenOff ? new NotFetched(error.message, true) : error;
    }
  }

  /** Does something up to three times where another try may help. */
  async function repeatedly<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof NotFetched) || !error.again || attempt === tries) throw error;
        await later(pause * 4 ** (attempt - 1), undefined, { signal });
      }
    }
  }

  return {
    /** Fetches objects and tells of each why it did not come, null where it did. */
    async fetch(
      remote: Remote,
      objects: readonly LargeFile[],
      take: (object: LargeFile, bytes: AsyncIterable<Buffer>, signal: AbortSignal) => Promise<string | null>,
      each: (object: LargeFile, reason: string | null) => void,
      outer: AbortSignal,
    ): Promise<void> {
      const failed = new AbortController();
      const signal = AbortSignal.any([outer, failed.signal]);
      for (let at = 0; at < objects.length; at += atOnce) {
        const batch = objects.slice(at, at + atOnce);
        const offers = await repeatedly(signal, () => ask(remote, batch, signal)).catch((error: unknown) => {
          if (error instanceof NotFetched) return error;
          throw error;
        });
        const waiting = batch.values();
        const worker = async (): Promise<void> => {
          for (const object of waiting) {
            const offer = offers instanceof NotFetched ? offers : offers.get(object.oid);
            try {
              if (!offer) throw new NotFetched('The server says nothing of the object');
              if (offer instanceof NotFetched) throw offer;
              await repeatedly(signal, () => download(offer, (bytes) => take(object, bytes, signal), signal));
              each(object, null);
            } catch (error) {
              signal.throwIfAborted();
              if (!(error instanceof NotFetched)) throw error;
              each(object, error.message);
            }
          }
        };
        const workers = Array.from({ length: together }, () =>
          worker().catch((error: unknown) => {
            failed.abort(error);
            throw error;
          }),
        );
        await Promise.allSettled(workers);
        signal.throwIfAborted();
      }
    },
  };
}
export type LfsSource = ReturnType<typeof lfsSource>;
