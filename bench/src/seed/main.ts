/** `npm run seed`: a large instance to look at and to measure, in a data directory or a database of its own. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '@millrace/postgres';
import pg from 'pg';
import { startInstance } from '../process.ts';
import { writeIssues } from './issues.ts';
import type { Sizes } from './shape.ts';
import { writeSeed } from './write.ts';

const usage = `npm run seed -- [--data DIR | --database URL] [--users N] [--groups N] [--depth N] [--projects N] [--memberships N] [--issues N]
Fills a Millrace data directory (made if it is not there; no server may run on it) or the database at the URL with users,
groups, projects without repositories, memberships, invitations of groups and issues, a tenth of these in one project. Never for an instance that somebody uses.`;

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: 'seeded' },
    database: { type: 'string' },
    users: { type: 'string', default: '100000' },
    groups: { type: 'string', default: '20000' },
    depth: { type: 'string', default: '8' },
    projects: { type: 'string', default: '200000' },
    memberships: { type: 'string', default: '1000000' },
    issues: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const count = (name: keyof Sizes | 'issues', least = 1): number => {
  const number = Number(values[name]);
  if (!Number.isSafeInteger(number) || number < least)
    throw new Error(`--${name} must be a number from ${least}\n${usage}`);
  return number;
};
const sizes: Sizes = {
  users: count('users'),
  groups: count('groups'),
  depth: count('depth'),
  projects: count('projects'),
  memberships: count('memberships'),
};
const issues = count('issues', 0);
const begin = performance.now();
const say = (text: string) => console.log(`${((performance.now() - begin) / 1000).toFixed(1).padStart(6)} s  ${text}`);

// Its schema and its administrator are made by the product itself.
const data = resolve(values.data);
mkdirSync(data, { recursive: true });
const instance = await startInstance(data, values.database ? { DATABASE_URL: values.database } : {});
await instance.stop();
say('schema');
const log = { info: () => undefined, warn: (text: string) => console.warn(text) };
const embedded = values.database
  ? null
  : await startPostgres({ dataDir: join(data, 'millrace/postgres'), log, settings: { max_wal_size: '4GB' } });
const client = new pg.Client(values.database ?? embedded?.connection);
try {
  await client.connect();
  const made = await writeSeed(client, sizes, say);
  if (issues > 0) await writeIssues(client, { ...made, ...sizes, issues }, say);
  say(`ready: top of the largest tree is group ${made.group}, the first person is user ${made.user}`);
} finally {
  await client.end();
  await embedded?.stop();
}
