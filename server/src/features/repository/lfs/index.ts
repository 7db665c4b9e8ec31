/** Git LFS: files that a repository only points at. */
export { lockCheck, presenceCheck } from './lfs.check.ts';
export { lfsLocking } from './locks.routes.ts';
export { type LfsObjects, type LfsObjectsDependencies, lfsObjects } from './objects.service.ts';
export { longestPointer } from './pointers.ts';
