/** The database: the pool, transactions, locks, notifications, migrations, errors. */
export { type DatabaseFault, databaseFault, type FaultKind, isUniqueViolation } from './errors.ts';
export { type Listener, startListener } from './listen.ts';
export {
  lockInTransaction,
  lockRepositoryInTransaction,
  tryLockInTransaction,
  withLock,
  withRepositoryLock,
} from './locks.ts';
export { migrate, SchemaError } from './migrate.ts';
export { createDb, createPool, type DatabaseAddress, type Db } from './pool.ts';
export { transaction } from './tx.ts';
