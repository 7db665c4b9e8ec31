/** The database: the pool, transactions, locks, notifications, migrations, errors. */
export { databaseFault, isMissingReference, isUniqueViolation } from './errors.ts';
export { gramsOf, soughtGrams } from './grams.ts';
export { insertMany } from './insert-many.ts';
export { type Listener, startListener } from './listen.ts';
export {
  lockInTransaction,
  lockSharedInTransaction,
  tryLockInTransaction,
  waitedTooLong,
  withLock,
  withLockIfFree,
  withRepositoryLock,
} from './locks.ts';
export { migrate } from './migrate.ts';
export { containing, recordset, wordsOf } from './patterns.ts';
export { createDb, createPool, type DatabaseAddress, type Db } from './pool.ts';
export { unanswered } from './statements.ts';
export { sharedRead, together } from './together.ts';
export { trigramsWithin } from './trigrams.ts';
export { beforeCommit, easedCommit, transaction } from './tx.ts';
