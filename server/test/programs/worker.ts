/** A process with a queue on the database of `DATABASE_URL`: its task `hang` says that it runs and never ends. */
import Type from 'typebox';
import { createDb, createPool, startListener } from '../../src/kernel/db/index.ts';
import { createQueue, defineTask } from '../../src/kernel/queue/index.ts';

const address = { connectionString: process.env.DATABASE_URL ?? '' };
const log = { debug: () => undefined, info: () => undefined, warn: console.error, error: console.error };
const pool = createPool(address);
const hang = defineTask('hang', Type.Object({ id: Type.Integer() }), async ({ id }, { attempt }) => {
  console.log(`running ${id} attempt ${attempt}`);
  await new Promise(() => undefined);
});
const queue = createQueue({
  pool,
  db: createDb(pool),
  listener: await startListener({ address, log }),
  tasks: [hang],
  cron: [],
  concurrency: 2,
  log,
});
await queue.start();
console.log('started');
