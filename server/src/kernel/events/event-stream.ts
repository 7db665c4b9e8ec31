/** A page's event stream: topics as they change, permission asked again for each, kept alive, ended by a stop. */
import type { ServerResponse } from 'node:http';
import type { Live } from './live.ts';

interface EventStreamOptions {
  readonly live: Live;
  readonly topics: readonly string[];
  /** What the page shows was read at this cursor: changes since then come first. Without it only new ones come. */
  readonly since?: string | undefined;
  /** Asked before each event: rights may have gone since the page was opened. */
  readonly permitted: (topic: string) => Promise<boolean>;
  /** Aborted when the process stops: the page connects again, to another process. */
  readonly stopping: AbortSignal;
  /** Headers that the server set so far. */
  readonly headers?: Readonly<Record<string, string | number | string[] | undefined>>;
  /** Milliseconds between comments that keep proxies from closing the connection; default 20,000. */
  readonly heartbeat?: number;
  /** Milliseconds in which repeated changes of a topic become one event; default 50. */
  readonly quiet?: number;
}

/** A page that does not read is cut off at this many waiting bytes; it connects again. */
const largestBacklog = 256 * 1024;

/**
 * Writes the stream on a response that nothing was sent on, and resolves when it has ended. Events are
 * `event: change` with `data: {"topic": "pipeline:12"}`; `event: resync` says that changes may have been missed;
 * `event: cursor` says with its id that everything before it was sent, so that a page that connects again continues there.
 */
export async function writeEventStream(response: ServerResponse, options: EventStreamOptions): Promise<void> {
  const { live, topics, since, permitted, stopping, heartbeat = 20_000, quiet = 50 } = options;
  const ended = Promise.withResolvers<void>();
  const waiting = new Set<string>();
  let flushing = false;
  let timer: NodeJS.Timeout | undefined;

  const write = (text: string) => {
    if (response.destroyed || response.writableEnded) return;
    response.write(text);
    if (response.writableLength > largestBacklog) response.destroy();
  };
  const resync = () => write('event: resync\ndata: {}\n\n');
  const writeCursor = (cursor: string | null) => {
    if (cursor !== null) write(`event: cursor\nid: ${cursor}\ndata: {}\n\n`);
  };
  const flush = async () => {
    flushing = true;
    const batch = [...waiting];
    waiting.clear();
    // What arrives while permissions are asked for belongs to the next batch.
    const cursor = live.cursor();
    for (const topic of batch) {
      const allowed = await permitted(topic).catch(() => null);
      if (allowed === null) resync();
      else if (allowed) write(`event: change\ndata: ${JSON.stringify({ topic })}\n\n`);
    }
    writeCursor(cursor);
    flushing = false;
    timer = waiting.size > 0 ? setTimeout(() => void flush(), quiet) : undefined;
  };
  const announce = (changed: readonly string[]) => {
    for (const topic of changed) waiting.add(topic);
    timer ??= setTimeout(() => void flush(), quiet);
  };

  response.writeHead(200, {
    ...options.headers,
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
  // Pages come back quickly, but not all in the same moment.
  write(`retry: ${500 + Math.round(Math.random() * 1500)}\n\n`);
  const unsubscribe = live.subscribe(topics, (topic) => (topic === null ? resync() : announce([topic])));
  const missed = since === undefined ? [] : live.since(since)?.filter((topic) => topics.includes(topic));
  if (missed === undefined) resync();
  if (missed && missed.length > 0) announce(missed);
  else writeCursor(live.cursor());
  const beat = setInterval(() => {
    write(': alive\n\n');
    if (waiting.size === 0 && !flushing) writeCursor(live.cursor());
  }, heartbeat);
  const stop = () => {
    response.end();
    ended.resolve();
  };
  response.once('close', () => ended.resolve());
  stopping.addEventListener('abort', stop, { once: true });
  if (stopping.aborted) stop();
  await ended.promise;
  stopping.removeEventListener('abort', stop);
  clearInterval(beat);
  clearTimeout(timer);
  unsubscribe();
}
