/** A server of somebody else on loopback: keeps what it is sent and answers as told. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Receiver {
  readonly port: number;
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly received: Received[];
  /** What the next requests are answered; 200 `ok` until told otherwise. Status 0 breaks the connection, -1 never answers. */
  answer: { status: number; headers?: Record<string, string>; body?: string | Buffer };
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const receiver = { received, answer: { status: 200, body: 'ok' } as Receiver['answer'] };
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      received.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, text });
      const { status, headers = {}, body = '' } = receiver.answer;
      if (status === 0) request.socket.destroy();
      else if (status > 0) response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    port,
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}
