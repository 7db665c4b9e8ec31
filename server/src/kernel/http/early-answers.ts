/**
 * Answers that are complete before the request's body was read. Closing such a connection at once resets it, and the
 * client may lose the answer while it still sends. So the rest of the body is read and discarded, within limits; where
 * the connection is to be closed, only our side is closed before that (RFC 9112, 9.6).
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface DrainLimits {
  readonly milliseconds: number;
  /** Without a byte from the client. */
  readonly idleMilliseconds: number;
  readonly bytes: number;
}

const usual: DrainLimits = { milliseconds: 30_000, idleMilliseconds: 5000, bytes: 1024 ** 3 };
/** How often the limits are checked, as a part of the shortest one. */
const checksPerLimit = 10;

export interface EarlyAnswers {
  /** Closes the connections whose bodies are being discarded: their clients have their answers. */
  close(): void;
}

/** Whether the client announced a body that has not arrived in full yet. */
function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
}

/** A refused body may be long: the client learns that it need not go on sending it. */
export function closeAfterUnreadBody(request: FastifyRequest, reply: FastifyReply): void {
  if (hasUnreadBody(request.raw)) reply.header('Connection', 'close');
}

/** Applies to every answer of the server, whoever sends it. */
export function drainAfterEarlyAnswers(server: Server, limits: DrainLimits = usual): EarlyAnswers {
  /** The request that each connection is at. */
  const current = new WeakMap<Socket, IncomingMessage>();
  const draining = new Set<Socket>();

  function drain(socket: Socket, request: IncomingMessage): void {
    if (draining.has(socket)) return;
    draining.add(socket);
    const start = performance.now();
    const firstByte = socket.bytesRead;
    let last = { at: start, bytes: firstByte };
    const check = () => {
      const now = performance.now();
      if (socket.bytesRead !== last.bytes) last = { at: now, bytes: socket.bytesRead };
      const exhausted =
        now - start > limits.milliseconds ||
        now - last.at > limits.idleMilliseconds ||
        last.bytes - firstByte > limits.bytes;
      if (exhausted) socket.destroy();
    };
    const interval = Math.min(limits.milliseconds, limits.idleMilliseconds) / checksPerLimit;
    const timer = setInterval(check, interval).unref();
    const done = () => {
      clearInterval(timer);
      draining.delete(socket);
      request.off('close', done);
      socket.off('close', done);
    };
    // A request is closed when its body was read to the end, or with its connection.
    request.once('close', done);
    socket.once('close', done);
    request.unpipe();
    // A reader that gave up may still wait for the next chunk, which keeps the stream from flowing.
    request.removeAllListeners('readable');
    request.resume();
  }

  server.on('connection', (socket: Socket) => {
    const destroySoon = socket.destroySoon.bind(socket);
    // What Node calls after an answer that ends the connection.
    socket.destroySoon = () => {
      const request = current.get(socket);
      if (!request || !hasUnreadBody(request)) {
        destroySoon();
        return;
      }
      socket.end();
      request.once('close', destroySoon);
      drain(socket, request);
    };
  });
  server.on('request', (request, response) => {
    // The request forgets its socket once it is destroyed.
    const { socket } = request;
    current.set(socket, request);
    response.once('finish', () => {
      if (!socket.destroyed && hasUnreadBody(request)) drain(socket, request);
    });
  });
  return {
    close() {
      for (const socket of draining) socket.destroy();
    },
  };
}
