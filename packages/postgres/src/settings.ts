/** Server settings for a small instance: about 60 MB in all, few helper processes, nothing on TCP. */

import { totalmem } from 'node:os';

export type Settings = Record<string, string | number>;

const megabyte = 1024 ** 2;
/** Pages are taken from the machine when they are first used: a small instance uses little of what a large one needs. */
const sharedBuffers = Math.min(256, Math.max(32, Math.floor(totalmem() / megabyte / 32)));

const LEAN: Settings = {
  listen_addresses: '',
  port: 5432,
  password_encryption: 'scram-sha-256',
  max_connections: 60,
  superuser_reserved_connections: 2,
  shared_buffers: `${sharedBuffers}MB`,
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  effective_cache_size: '1GB',
  huge_pages: 'off',
  jit: 'off',
  // The worker method keeps three more processes; our reads are short and cached.
  io_method: 'sync',
  max_worker_processes: 4,
  max_parallel_workers: 2,
  max_parallel_workers_per_gather: 1,
  max_logical_replication_workers: 0,
  autovacuum_max_workers: 2,
  autovacuum_worker_slots: 2,
  max_wal_size: '512MB',
  min_wal_size: '32MB',
  random_page_cost: 1.1,
  idle_in_transaction_session_timeout: '5min',
  log_checkpoints: 'off',
  log_min_messages: 'warning',
  log_line_prefix: '%m [%p] ',
  log_timezone: 'UTC',
  timezone: 'UTC',
};

// Only for data that nobody misses after a crash of the machine.
const NOT_DURABLE: Settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' };

/** The `-c name=value` arguments: ours, then those of `overrides`, which win. */
export function serverArguments(socketDirectory: string, durable: boolean, overrides: Settings): string[] {
  const own = { ...LEAN, ...(durable ? {} : NOT_DURABLE) };
  const settings: Settings = { ...own, ...overrides, unix_socket_directories: socketDirectory };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
