/** A port that is free now, for when the configuration leaves the choice to us and the external URL has to name it. */
import { createServer } from 'node:net';

export async function freePort(host: string): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, host, resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error(`no free port on ${host}`);
  return address.port;
}
