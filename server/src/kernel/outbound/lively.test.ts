/** Answers that hang or break off while they are read. */
import { setTimeout as later } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { lively } from './index.ts';

const read = async (answer: Parameters<typeof lively>[0], silence: number) => {
  const parts: string[] = [];
  for await (const part of lively(answer, silence)) parts.push(part.toString());
  return parts;
};

it('bytes come as they are sent, and nothing is closed', async () => {
  const close = vi.fn();
  async function* body() {
    yield Buffer.from('a');
    yield Buffer.from('b');
  }
  expect(await read({ body: body(), close }, 60_000)).toEqual(['a', 'b']);
  expect(close).not.toHaveBeenCalled();
});

it('an answer that brings nothing for too long is closed, and says so', async () => {
  const closed = Promise.withResolvers<never>();
  async function* body() {
    yield Buffer.from('a');
    await closed.promise;
  }
  const close = () => closed.reject(new Error('aborted'));
  await expect(read({ body: body(), close }, 50)).rejects.toMatchObject({
    name: 'BrokenOff',
    message: 'The other side sent nothing for 0.05 seconds',
  });
});

it('a slow reader is not the fault of the other side', async () => {
  const close = vi.fn();
  async function* body() {
    yield Buffer.from('a');
    yield Buffer.from('b');
  }
  for await (const _ of lively({ body: body(), close }, 5)) await later(30);
  expect(close).not.toHaveBeenCalled();
});

it('a connection that breaks says so; what the reader throws stays what it is', async () => {
  async function* body() {
    yield Buffer.from('a');
    throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
  }
  const close = () => undefined;
  await expect(read({ body: body(), close }, 60_000)).rejects.toMatchObject({
    name: 'BrokenOff',
    message: 'The connection broke off',
    cause: { code: 'ECONNRESET' },
  });
  const own = new Error('own');
  await expect(
    (async () => {
      for await (const _ of lively({ body: body(), close }, 60_000)) throw own;
    })(),
  ).rejects.toBe(own);
});
