/** Start and memory of the whole tree of processes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { spread } from '../context.ts';
import { type Instance, memoryOfTree, startInstance } from '../process.ts';
import type { Row } from '../report.ts';
import { pause } from '../waiting.ts';

export async function firstStarts(directory: string, add: (row: Row) => void): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    const data = mkdtempSync(join(directory, 'first-'));
    const instance = await startInstance(data);
    times.push(instance.ready);
    await instance.stop();
    rmSync(data, { recursive: true, force: true });
  }
  add({ name: 'first start ever to ready', ours: spread(times) });
}

/** Starts with what is there, several times; the last one stays idle for its memory. */
export async function laterStarts(data: string, add: (row: Row) => void): Promise<void> {
  const times: number[] = [];
  let instance: Instance | undefined;
  for (let round = 0; round < 7; round++) {
    await instance?.stop();
    instance = await startInstance(data);
    times.push(instance.ready);
  }
  const figure = spread(times);
  add({
    name: 'start with existing data to ready',
    ours: figure,
    goal: { text: '< 1,500 ms', met: (figure.p95 ?? Number.NaN) < 1500 },
  });
  if (!instance) return;
  await pause(20_000);
  memory(instance, 'idle memory of the tree (PSS)', add, { limit: 250 });
  await instance.stop();
}

const sum = (shares: readonly { readonly megabytes: number }[]) =>
  shares.reduce((total, { megabytes }) => total + megabytes, 0);

/** The memory of an instance's tree, with its largest processes; beside the tree of a peer that ran under the same load. */
export function memory(
  instance: Instance,
  name: string,
  add: (row: Row) => void,
  { limit, peer }: { readonly limit?: number; readonly peer?: number } = {},
): void {
  const shares = memoryOfTree(instance.pid);
  const megabytes = sum(shares);
  const programs = new Map<string, { count: number; total: number }>();
  for (const share of shares) {
    const { count, total } = programs.get(share.program) ?? { count: 0, total: 0 };
    programs.set(share.program, { count: count + 1, total: total + share.megabytes });
  }
  const largest = [...programs].sort(([, a], [, b]) => b.total - a.total);
  add({
    name,
    ours: { megabytes },
    ...(peer === undefined ? {} : { peer: { megabytes: sum(memoryOfTree(peer)) } }),
    ...(limit === undefined ? {} : { goal: { text: `< ${limit} MB`, met: megabytes < limit } }),
    note: largest.map(([program, { count, total }]) => `${program} ${total.toFixed(0)} (${count})`).join('; '),
  });
}
