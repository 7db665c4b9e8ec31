/** A terminal of a job as the server opens it, over a WebSocket of the session that the runner offered. */
import { WebSocket } from 'ws';
import type { SessionOffer } from '../src/terminal/sessions.ts';

export type Shell = { socket: WebSocket; text(): string; until(pattern: RegExp): Promise<string>; closed: Promise<Closed> };
type Closed = { code: number; reason: string };

export async function connect(offer: SessionOffer, authorization = offer.authorization): Promise<Shell> {
  const socket = new WebSocket(`${offer.url}/exec`, ['terminal.millrace'], {
    headers: { Authorization: authorization },
  });
  let said = '';
  const wakers = new Set<() => void>();
  socket.on('message', (data: Buffer) => {
    said += data.toString();
    for (const wake of wakers) wake();
  });
  const closed = new Promise<Closed>((resolve) =>
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })),
  );
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return {
    socket,
    closed,
    text: () => said,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!pattern.test(said)) return;
          clearTimeout(timer);
          wakers.delete(look);
          resolve(said);
        };
        const timer = setTimeout(() => reject(new Error(`${pattern} was not said: ${JSON.stringify(said)}`)), 10_000);
        wakers.add(look);
        look();
      }),
  };
}
