/** Password hashes and the work they cost. */
import { expect, it } from 'vitest';
import { createPasswords } from './passwords.ts';

const passwords = createPasswords();

it('verifies its own hashes only', async () => {
  const hash = await passwords.hash('correct horse');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=16384,t=8,p=1\$/);
  expect(await passwords.verify(hash, 'correct horse')).toBe(true);
  expect(await passwords.verify(hash, 'correct house')).toBe(false);
  expect(await passwords.verify(null, 'nobody has this password')).toBe(false);
});

it('an unknown user costs as much as a known one', async () => {
  const hash = await passwords.hash('correct horse');
  await passwords.verify(null, 'x');
  // Time of the processor, by turns: whatever else the machine does meanwhile is no part of it.
  const work = async (against: string | null) => {
    const start = process.cpuUsage();
    await passwords.verify(against, 'wrong');
    return process.cpuUsage(start).user;
  };
  const [unknown, known]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < 7; turn += 1) {
    unknown.push(await work(null));
    known.push(await work(hash));
  }
  const median = (times: number[]) => times.sort((a, b) => a - b)[3] ?? 0;
  const ratio = median(unknown) / median(known);
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
});

it('does not hold up the event loop, however many wait', async () => {
  const hash = await passwords.hash('correct horse');
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  await Promise.all(Array.from({ length: 20 }, () => passwords.verify(hash, 'wrong')));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(5);
});

it('[1/errors/17] refuses to queue without end', async () => {
  const few = createPasswords({ longest: 10 });
  const hash = await few.hash('x');
  const flood = await Promise.allSettled(Array.from({ length: 30 }, () => few.verify(hash, 'x')));
  const refused = flood.filter((result) => result.status === 'rejected');
  expect(refused.length).toBe(30 - 12);
  expect(refused[0]?.reason).toMatchObject({
    status: 503,
    body: { message: '503 Service Unavailable - too many password checks at once' },
    headers: { 'Retry-After': '5' },
  });
});
