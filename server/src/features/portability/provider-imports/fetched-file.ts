/** One file of another server: read as it comes, within bounds. Why it was not taken, in words. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BrokenOff, lively, type Outbound } from '../../../kernel/outbound/index.ts';
import { ArchiveError } from '../project-archives/tar.ts';
import { ProviderError } from './client.ts';

export interface FileRequest {
  readonly outbound: Pick<Outbound, 'open'>;
  readonly signal: AbortSignal;
  readonly url: string;
  /** What proves us there; not sent to where it redirects on another server. */
  readonly authorization: string;
  readonly largest: number;
}

export interface SentFile {
  /** As far as the server says it. */
  readonly size: number;
  readonly body: AsyncIterable<Buffer>;
  readonly type: string | null;
  readonly disposition: string | null;
}

export const notThere = 'The server answered 404';
/** Nothing came for so long: the other side hangs. */
const silence = 120_000;
/** How often a server that is busy is asked again, and the longest pause that it may want, in milliseconds. */
const [mostTries, longestPause] = [3, 60_000];

async function* within(body: AsyncIterable<Buffer>, largest: number): AsyncGenerator<Buffer> {
  let total = 0;
  for await (const chunk of body) {
    total += chunk.length;
    if (total > largest) throw new ArchiveError(`is larger than ${largest} bytes`);
    yield chunk;
  }
}

const header = (value: string | string[] | undefined): string | null =>
  typeof value === 'string' ? value : (value?.[0] ?? null);

export async function fetchedFile(
  { outbound, signal, url, authorization, largest }: FileRequest,
  take: (sent: SentFile) => Promise<string | null>,
): Promise<string | null> {
  for (let tries = 1; ; tries += 1) {
    const answer = await outbound.open({
      url,
      kind: 'import',
      headers: { Authorization: authorization, 'User-Agent': 'millrace' },
      timeout: 60_000,
      // Storages that sign their addresses are elsewhere.
      redirects: 3,
      signal,
    });
    signal.throwIfAborted();
    if (!answer.ok) throw new ProviderError('unreachable', answer.message);
    const { status, headers } = answer;
    try {
      if (status === 200)
        return await take({
          size: Number(headers['content-length'] ?? 0) || 0,
          body: within(lively(answer, silence), largest),
          type: header(headers['content-type']),
          disposition: header(headers['content-disposition']),
        });
      if (status === 401) throw new ProviderError('unauthorized', 'The token is not valid');
    } catch (error) {
      if (error instanceof ArchiveError || error instanceof BrokenOff) return error.message;
      throw error;
    } finally {
      answer.close();
    }
    if ((status !== 429 && status < 500) || tries === mostTries) return `The server answered ${status}`;
    const wanted = Number(header(headers['retry-after']) ?? 1) * 1000;
    await sleep(Math.min(Number.isFinite(wanted) ? wanted : 1000, longestPause), undefined, { signal });
  }
}
