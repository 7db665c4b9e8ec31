/** A process that migrates the database of `DATABASE_URL` and says what it did. */
import { createPool, migrate } from '../../src/kernel/db/index.ts';
import { migrateQueue } from '../../src/kernel/queue/index.ts';

const pool = createPool({ connectionString: process.env.DATABASE_URL ?? '' });
const done = await migrate(pool, { also: [migrateQueue] });
await pool.end();
console.log(`migrated ${JSON.stringify(done)}`);
