/** Uids for job slots: numeric, without names, each used by one runner of the host at a time. */
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { dirname } from 'node:path';
import { killProcesses } from './executors/processes.ts';
import type { Account } from './executors/types.ts';
import { clearSlot, markOf, removeLeft } from './workspace.ts';

/** The first uid for jobs, unless configured. The embedded PostgreSQL has 64100. */
export const DEFAULT_BASE_UID = 64200;
const UIDS = 800;

export type Slot = { name: string; account: Account | undefined };

export type Slots = { slots: Slot[]; release(): void };

/**
 * Takes `count` slots. As root each gets a uid that no other runner of this host holds (two would read and kill each
 * other's jobs); else slots only differ in their directories. Processes that a killed runner left there are ended.
 */
export async function takeSlots(count: number, baseUid: number, workDir: string): Promise<Slots> {
  const leases: Server[] = [];
  const slots: Slot[] = [];
  const root = process.geteuid?.() === 0;
  if (root) await assertPassable(workDir);
  for (let uid = baseUid; root && slots.length < count && uid < baseUid + UIDS; uid++) {
    const lease = await leaseUid(uid);
    if (!lease) continue;
    leases.push(lease);
    slots.push({ name: String(uid), account: { uid, gid: uid } });
  }
  for (let index = 0; !root && index < count; index++) slots.push({ name: String(index), account: undefined });
  const release = () => {
    for (const lease of leases) lease.close();
  };
  if (slots.length < count) {
    release();
    throw new Error(`fewer than ${count} free uids from ${baseUid} on: other runners hold them`);
  }
  for (const { name, account } of slots) {
    await killProcesses({ account, variable: markOf(workDir), roots: new Set() });
    await clearSlot(workDir, name);
    await removeLeft(account);
  }
  return { slots, release };
}

// A name in the abstract socket namespace ends with the process that holds it, also after kill -9: no stale lock files.
async function leaseUid(uid: number): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  if (process.platform !== 'linux') return server;
  server.listen({ path: `\0millrace-job-uid-${uid}` });
  try {
    await once(server, 'listening');
    return server.unref();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
}

async function assertPassable(workDir: string): Promise<void> {
  for (let directory = dirname(workDir); ; directory = dirname(directory)) {
    const { mode } = await stat(directory);
    if ((mode & 1) === 0) {
      throw new Error(
        `jobs run under uids of their own, which cannot pass ${directory}: choose another work directory, or chmod o+x it`,
      );
    }
    if (directory === dirname(directory)) return;
  }
}
