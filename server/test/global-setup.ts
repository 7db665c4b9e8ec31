/** One PostgreSQL cluster per test run, with a migrated template that every test file clones. */
import { createTestCluster } from '@millrace/postgres';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { sweepsLine, sweepsOf } from '../../scripts/lib/sweeps.ts';
import { createPool, migrate } from '../src/kernel/db/index.ts';
import { migrateQueue } from '../src/kernel/queue/index.ts';
import type { ClusterAddress } from './database.ts';
import { templateDatabase } from './database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: ClusterAddress;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const sweeps = sweepsOf(process.env, Date.now);
  project.provide('sweeps', sweeps);
  console.log(sweepsLine(sweeps));
  const cluster = await createTestCluster();
  const address: ClusterAddress = cluster.connection;
  const admin = new pg.Client(address);
  await admin.connect();
  await admin.query(`create database ${templateDatabase}`);
  await admin.end();
  const pool = createPool({ ...address, database: templateDatabase });
  await migrate(pool, { also: [migrateQueue] });
  await pool.end();
  project.provide('postgres', address);
  return async () => {
    await cluster.stop();
  };
}
