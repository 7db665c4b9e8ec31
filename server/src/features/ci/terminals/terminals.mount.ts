/** The WebSocket of terminals, `/<project>/-/jobs/<id>/terminal.ws`: a ticket opens it, and nothing else. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import type { CiDependencies } from '../deps.ts';
import { bridge, closing, type Ending, hangUp } from './bridge.ts';
import { closeTerminal, touchTerminal } from './terminals.queries.ts';
import { mostMessageBytes, type Terminals } from './terminals.service.ts';
import { isSubprotocol, type Subprotocol } from './wire.ts';

const address = /\/-\/jobs\/(\d{1,15})\/terminal\.ws(?:\?|$)/;
const ticketPrefix = 'ticket.';
/** How soon a terminal ends after the rights of its user do. */
const checkMilliseconds = 15_000;

const over = (code: number, text: string): Ending => ({ code, text });

function offered(request: IncomingMessage): { protocol: Subprotocol | undefined; ticket: string | undefined } {
  const names = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  return {
    protocol: names.find(isSubprotocol),
    ticket: names.find((name) => name.startsWith(ticketPrefix))?.slice(ticketPrefix.length),
  };
}

export function terminalSockets(deps: Pick<CiDependencies, 'db' | 'log'>, terminals: Terminals) {
  const open = new Set<AbortController>();
  let stopped = false;
  const acceptor = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: mostMessageBytes,
    handleProtocols: (names) => [...names].find(isSubprotocol) ?? false,
  });

  async function serve(person: WebSocket, protocol: Subprotocol, jobId: number, ticket: string): Promise<void> {
    const redeemed = await terminals.redeem(ticket, jobId);
    if (!redeemed) return hangUp(person, closing.refused, 'The ticket is not valid');
    const { terminal, seconds } = redeemed;
    const end = new AbortController();
    open.add(end);
    const limit = Math.min(seconds * 1000, 2 ** 31 - 1);
    const timer =
      seconds > 0
        ? setTimeout(() => end.abort(over(closing.refused, `The terminal was open for ${seconds} seconds`)), limit)
        : undefined;
    const checks = setInterval(() => {
      Promise.all([terminals.check(terminal), touchTerminal(deps.db, terminal.id)]).catch(() =>
        end.abort(over(closing.refused, 'The terminal is no longer allowed')),
      );
    }, checkMilliseconds);
    const left = () => end.abort(over(closing.normal, 'The user left'));
    person.once('close', left);
    try {
      const checked = await terminals.check(terminal).catch(() => null);
      if (!checked) return hangUp(person, closing.refused, 'The job has no terminal for you');
      const reached = await terminals.connect(checked, end.signal);
      if (!reached.ok) return hangUp(person, closing.failed, `The runner cannot be reached: ${reached.message}`);
      const { socket } = reached;
      person.off('close', left);
      const spoken = isSubprotocol(socket.protocol) ? socket.protocol : 'terminal.gitlab.com';
      const lost = () => terminals.whyOver(terminal.job_id);
      await bridge({ socket: person, protocol }, { socket, protocol: spoken }, lost, end.signal);
    } finally {
      clearTimeout(timer);
      clearInterval(checks);
      open.delete(end);
      await closeTerminal(deps.db, terminal.id);
    }
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Until the handshake is done nobody else listens.
    const lost = () => socket.destroy();
    socket.on('error', lost);
    const jobId = Number(address.exec(request.url ?? '')?.[1] ?? Number.NaN);
    const { protocol, ticket } = offered(request);
    if (Number.isNaN(jobId) || stopped || !protocol || !ticket) {
      const status = Number.isNaN(jobId) ? '404 Not Found' : stopped ? '503 Service Unavailable' : '401 Unauthorized';
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    acceptor.handleUpgrade(request, socket, head, (person) => {
      socket.off('error', lost);
      person.on('error', () => person.terminate());
      person.pause();
      serve(person, protocol, jobId, ticket).catch((error: unknown) => {
        deps.log.error({ err: error, job: jobId }, 'a terminal failed');
        hangUp(person, closing.failed, 'The terminal failed');
      });
    });
  }

  return {
    mount({ server }: FastifyInstance): void {
      // Other requests that offer another protocol (curl offers h2c) are answered as if they did not.
      Object.assign(server, {
        shouldUpgradeCallback: ({ url = '', headers }: IncomingMessage) =>
          headers.upgrade?.toLowerCase() === 'websocket' && address.test(url),
      });
      server.on('upgrade', upgrade);
    },
    /** Closes all terminals, now and from now on. */
    drain(): void {
      stopped = true;
      for (const end of open) end.abort(over(closing.away, 'The server is stopping'));
    },
  };
}
