/** A process that delivers facts of `DATABASE_URL` and says which it got, and which live topics it heard. */
import Type from 'typebox';
import { createDb, createPool, startListener } from '../../src/kernel/db/index.ts';
import { createDelivery, createLive, defineFact, on } from '../../src/kernel/events/index.ts';

const shared = defineFact('shared', Type.Object({}));
const address = { connectionString: process.env.DATABASE_URL ?? '' };
const log = { debug: () => undefined, info: () => undefined, warn: console.error, error: console.error };
const listener = await startListener({ address, log });
const db = createDb(createPool(address));
const delivery = createDelivery({
  db,
  listener,
  log,
  consumers: [{ name: 'printer', handlers: [on(shared, async ({ id }) => console.log(`fact ${id}`))] }],
  loaders: { user: async () => null, project: async () => null },
});
const live = createLive(listener, db);
live.subscribe(['job:1'], (topic) => console.log(`heard ${topic}`));
await listener.ready();
if (process.argv[2] === 'deliver') delivery.start();
console.log('started');
