/** A process that delivers facts of `DATABASE_URL` and says which it got, and which live topics it heard. */
import { createDb, createPool, startListener } from '../../src/kernel/db/index.ts';
import { createDelivery, createLive } from '../../src/kernel/events/index.ts';

const address = { connectionString: process.env.DATABASE_URL ?? '' };
const log = { debug: () => undefined, info: () => undefined, warn: console.error, error: console.error };
const listener = await startListener({ address, log });
const delivery = createDelivery({
  db: createDb(createPool(address)),
  listener,
  log,
  consumers: [{ name: 'printer', kinds: ['shared'], handle: async ({ id }) => console.log(`fact ${id}`) }],
});
createLive(listener).subscribe(['job:1'], (topic) => console.log(`heard ${topic}`));
await listener.ready();
if (process.argv[2] === 'deliver') delivery.start();
console.log('started');
