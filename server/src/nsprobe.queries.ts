import { readFileSync } from 'node:fs';
import { createDb, createPool } from './kernel/db/index.ts';
import { findProjectSubject } from './features/namespaces/access/parents.queries.ts';
import { sql } from 'kysely';
const pool = createPool({ host: '/tmp/nsdata/postgres/run', port: 5432, user: 'millrace', password: readFileSync('/tmp/nsdata/postgres/password','utf8').trim(), database: 'millrace', max: 1 });
const db = createDb(pool);
async function time(name: string, f: () => Promise<unknown>, n = 2000) {
  for (let i=0;i<50;i++) await f();
  const c = process.cpuUsage(); const t = performance.now();
  for (let i=0;i<n;i++) await f();
  const u = process.cpuUsage(c);
  console.log(name, ((performance.now()-t)/n).toFixed(3),'ms wall', ((u.user+u.system)/1000/n).toFixed(3), 'ms node cpu');
}
await time('select 1', () => sql`select ${1}::int`.execute(db));
await time('subject', () => findProjectSubject(db, '1', 1));
await time('select p.*', () => sql`select p.* from projects p where id = ${1}`.execute(db));
await db.destroy();
