/** The embedded PostgreSQL server: unpack, initdb, start, adopt after a crash, stop. */
export { EmbeddedPostgresError } from './errors.ts';
export type { EmbeddedPostgres, PostgresConnection, StartPostgresOptions } from './start.ts';
export { startPostgres } from './start.ts';
export type { TestCluster } from './test-cluster.ts';
export { createTestCluster } from './test-cluster.ts';
