/** Ports for when the configuration leaves the choice to us and the external URL has to name it before it is served. */
import { createServer } from 'node:net';

export interface HeldPort {
  readonly port: number;
  /** What the server that it is for adds to its `listen`: only so it gets what is held. */
  readonly listen: { readonly reusePort?: true };
  /** Lets go of it: when its server listens, or never will. */
  release(): Promise<void>;
}

/**
 * A port that is free, and that the system gives to nobody else until its server listens: between the choice and that a
 * database starts. Where ports cannot be shared (other systems than Linux) it is only free.
 */
export async function holdPort(host: string): Promise<HeldPort> {
  const shared = process.platform === 'linux';
  const listen = shared ? ({ reusePort: true } as const) : {};
  const holder = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    holder.once('error', reject);
    holder.listen({ host, port: 0, ...listen }, resolve);
  });
  holder.unref();
  const address = holder.address();
  let released: Promise<void> | undefined;
  const release = () => {
    released ??= new Promise<void>((resolve) => holder.close(() => resolve()));
    return released;
  };
  if (!shared) await release();
  if (address === null || typeof address === 'string') throw new Error(`no free port on ${host}`);
  return { port: address.port, listen, release };
}
