/** A body that somebody sends, for as long as they keep sending it. */
import type { IncomingMessage } from 'node:http';
import { HttpError } from '../../kernel/http/errors.ts';

const bytesPerSecond = 1024;

const tooSlow = (seconds: number) =>
  new HttpError(408, {
    message: `The upload is too slow: lfs_stall_seconds is ${seconds}, in which at least ${seconds} KiB have to arrive.`,
  });

/** The chunks of a request's body. Throws 408 for a client that hangs or drips; only the time waited for it counts. */
export async function* paced(request: IncomingMessage, stallSeconds: number): AsyncGenerator<Buffer> {
  // Not destroyed with the loop: the client is to read why.
  const iterator = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  const window = stallSeconds * 1000;
  let waited = 0;
  let arrived = 0;
  for (;;) {
    const since = performance.now();
    const { promise: stalled, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(tooSlow(stallSeconds)), window - waited);
    const next = iterator.next();
    let step: IteratorResult<Buffer>;
    try {
      step = await Promise.race([next, stalled]);
    } catch (error) {
      next.catch(() => undefined);
      throw error;
    } finally {
      clearTimeout(timer);
    }
    if (step.done) return;
    waited = Math.min(waited + performance.now() - since, window - 1);
    arrived += step.value.length;
    if (arrived >= bytesPerSecond * stallSeconds) [arrived, waited] = [0, 0];
    yield step.value;
  }
}
