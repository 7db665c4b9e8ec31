/** A test run that starts a cluster, says where, and ends without stopping it: by itself, or by being killed. */
import { createTestCluster } from '../src/index.ts';

const cluster = await createTestCluster();
process.stdout.write(`${JSON.stringify({ pid: cluster.pid, host: cluster.connection.host })}\n`);
if (process.argv[2] === 'stay') setInterval(() => undefined, 60_000);
