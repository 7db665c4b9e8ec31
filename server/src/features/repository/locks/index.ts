/** Locks: files and folders that one person keeps for themselves. */
export { lockCheck, locksInTheWay } from './locks.check.ts';
export { lockRoutes } from './locks.routes.ts';
export { pathLocks } from './locks.service.ts';
