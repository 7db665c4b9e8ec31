/** WebSocket connections to others: over addresses that were checked, without redirects. */
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { pinned } from './exchange.ts';

export interface SocketRequest {
  readonly url: string;
  readonly protocols: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** A certificate that is trusted besides the system's. */
  readonly certificate: string | null;
  /** Connected to, whatever the name says by now; null to look the name up. */
  readonly addresses: readonly string[] | null;
  readonly maximumBytes: number;
  readonly signal: AbortSignal;
}

/** Resolves with the open connection. */
export async function openSocket(request: SocketRequest): Promise<WebSocket> {
  const { url, protocols, headers, certificate, addresses, maximumBytes, signal } = request;
  signal.throwIfAborted();
  const socket = new WebSocket(url, [...protocols], {
    headers,
    maxPayload: maximumBytes,
    perMessageDeflate: false,
    followRedirects: false,
    ...(certificate === null ? {} : { ca: certificate }),
    ...(addresses === null ? {} : { lookup: pinned(addresses) }),
  });
  const opened = Promise.withResolvers<void>();
  const abort = () => socket.terminate();
  signal.addEventListener('abort', abort, { once: true });
  socket.once('open', opened.resolve);
  socket.once('unexpected-response', (_request, response: IncomingMessage) => {
    opened.reject(new Error(`answered ${response.statusCode}`));
    response.destroy();
    socket.terminate();
  });
  // Stays: an error without a listener would end the process.
  socket.on('error', (error) => opened.reject(signal.aborted ? signal.reason : error));
  try {
    await opened.promise;
    // What comes before the caller listens is not lost.
    socket.pause();
    return socket;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
