/** Git LFS: files that a repository only points at. */
export { presenceCheck } from './lfs.check.ts';
export { type LfsObjects, type LfsObjectsDependencies, lfsObjects } from './objects.service.ts';
export { longestPointer, readPointer } from './pointers.ts';
