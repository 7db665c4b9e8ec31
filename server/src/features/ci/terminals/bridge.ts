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

/** Resolves when both are closed. Errors of connections end them. */
export async function bridge(person: Side, runner: Side, signal: AbortSignal): Promise<void> {
  const ended = Promise.withResolvers<void>();
  let alive = new Set<WebSocket>([person.socket, runner.socket]);

  function connect(from: Side, to: Side, otherEnd: string): void {
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
    from.socket.once('close', () => {
      hangUp(to.socket, closing.normal, otherEnd);
      if (to.socket.readyState === to.socket.CLOSED) ended.resolve();
    });
  }
  connect(person, runner, 'The user left');
  connect(runner, person, 'The runner closed the terminal');

  const pings = setInterval(() => {
    for (const { socket } of [person, runner]) {
      if (!alive.has(socket)) socket.terminate();
      else if (socket.readyState === socket.OPEN) socket.ping();
    }
    alive = new Set([person, runner].filter(({ socket }) => socket.isPaused).map(({ socket }) => socket));
  }, pingMilliseconds);
  const abort = () => {
    const { code, text } = signal.reason as { code: number; text: string };
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
