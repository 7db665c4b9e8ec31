/** Two WebSockets that hear each other, neither faster than the other can take it. */
import type { WebSocket } from 'ws';
import { decode, encode, type Subprotocol } from './wire.ts';

/** Bytes that wait for a slow side before the other one is paused. */
const mostBuffered = 1024 * 1024;
/** How often sides are asked whether they are still there; one that has not answered by the next time is gone. */
const pingMilliseconds = 30_000;

/** Codes of the WebSocket protocol. */
export const closing = { normal: 1000, away: 1001, malformed: 1007, refused: 1008, failed: 1011 } as const;

interface Side {
  readonly socket: WebSocket;
  readonly protocol: Subprotocol;
}

/** Closes a connection, and cuts it off when the other side does not answer that. */
export function hangUp(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState === socket.CLOSED) return;
  socket.resume();
  socket.close(code, Buffer.from(reason).subarray(0, 120).toString('utf8'));
  const timer = setTimeout(() => socket.terminate(), 2000).unref();
  socket.once('close', () => clearTimeout(timer));
}

export interface Ending {
  readonly code: number;
  readonly text: string;
}

/** What a side that closed says of it; null where it does not. */
function said(code: number, reason: Buffer): Ending | null {
  const text = reason.toString('utf8');
  if (code === closing.normal || code === closing.away) return text ? { code, text } : null;
  // Codes without a message, and a connection that was lost.
  if (code === 1005 || code === 1006) return null;
  return { code: closing.failed, text: text || 'The terminal failed' };
}

/** Resolves when both are closed. Errors of connections end them. `lost` says why a runner left without a word. */
export async function bridge(
  person: Side,
  runner: Side,
  lost: () => Promise<Ending>,
  signal: AbortSignal,
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  let alive = new Set<WebSocket>([person.socket, runner.socket]);

  function connect(from: Side, to: Side): void {
    from.socket.on('message', (raw, binary) => {
      const message = decode(from.protocol, raw, binary);
      if (!message) return hangUp(from.socket, closing.malformed, 'The message is not one of the subprotocol');
      const frame = encode(to.protocol, message);
      if (!frame || to.socket.readyState !== to.socket.OPEN) return;
      to.socket.send(frame.data, { binary: frame.binary }, () => {
        if (from.socket.isPaused && to.socket.bufferedAmount < mostBuffered) from.socket.resume();
      });
      if (to.socket.bufferedAmount >= mostBuffered) from.socket.pause();
    });
    from.socket.on('pong', () => alive.add(from.socket));
  }
  connect(person, runner);
  connect(runner, person);
  const over = (to: WebSocket, { code, text }: Ending) => {
    hangUp(to, code, text);
    if (to.readyState === to.CLOSED) ended.resolve();
  };
  person.socket.once('close', () => over(runner.socket, { code: closing.normal, text: 'The user left' }));
  runner.socket.once('close', (code, reason) => {
    const told = said(code, reason);
    if (told) return over(person.socket, told);
    void lost()
      .catch((): Ending => ({ code: closing.failed, text: 'The connection to the runner was lost' }))
      .then((why) => over(person.socket, why));
  });

  const pings = setInterval(() => {
    for (const { socket } of [person, runner]) {
      if (!alive.has(socket)) socket.terminate();
      else if (socket.readyState === socket.OPEN) socket.ping();
    }
    alive = new Set([person, runner].filter(({ socket }) => socket.isPaused).map(({ socket }) => socket));
  }, pingMilliseconds);
  const abort = () => {
    const { code, text } = signal.reason as Ending;
    for (const { socket } of [person, runner]) hangUp(socket, code, text);
  };
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    for (const { socket } of [person, runner]) socket.resume();
    await ended.promise;
  } finally {
    clearInterval(pings);
    signal.removeEventListener('abort', abort);
  }
}
