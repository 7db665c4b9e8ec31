/** A process that starts the embedded server, says so in one JSON line, and stays until it is killed. */
import { startPostgres } from '../src/index.ts';

const server = await startPostgres({
  dataDir: process.argv[2]!,
  durable: false,
  log: { info: () => undefined, warn: () => undefined },
});
process.stdout.write(`${JSON.stringify({ pid: server.pid, adopted: server.adopted, url: server.url })}\n`);
setInterval(() => undefined, 60_000);
