/** A port that is chosen before it is served stays ours. */
import { createServer, type Server } from 'node:net';
import { expect, it } from 'vitest';
import { holdPort } from './port.ts';

const listening = (server: Server, options: { port: number; reusePort?: true }) =>
  new Promise<string>((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    server.listen({ host: '127.0.0.1', ...options }, () => resolve('listens'));
  });
const closed = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));

// Skipped elsewhere than on Linux: other systems let no second socket share a port.
it.runIf(process.platform === 'linux')('is refused to others until its server has it, and after', async () => {
  const held = await holdPort('127.0.0.1');
  const [other, own] = [createServer(), createServer()];
  expect(await listening(other, { port: held.port })).toBe('EADDRINUSE');
  expect(await listening(own, { port: held.port, ...held.listen })).toBe('listens');
  await held.release();
  await held.release();
  expect(await listening(other, { port: held.port })).toBe('EADDRINUSE');
  await closed(own);
});

it('is free for whoever comes when it is given back', async () => {
  const held = await holdPort('127.0.0.1');
  await held.release();
  const server = createServer();
  expect(await listening(server, { port: held.port })).toBe('listens');
  await closed(server);
});
