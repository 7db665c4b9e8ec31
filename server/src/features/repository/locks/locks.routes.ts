/** Locks of files and folders for pages and tools; git-lfs has its own protocol for them (transport/lfs). */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findReferences, userReference } from '../../identity/index.ts';
import { lockJson, PathLockEntity } from './locks.entity.ts';
import { countLocks, type PathLock, pageOfLocks } from './locks.queries.ts';
import type { pathLocks } from './locks.service.ts';

const common = { tag: 'Repositories', credentials: ['token', 'session'] } as const;
const base = '/projects/:id/path_locks';
const place = { id: IdOrPath('Id or path of the project') };

export function lockRoutes(deps: {
  readonly db: Db;
  readonly externalUrl: string;
  readonly locks: ReturnType<typeof pathLocks>;
}): Route[] {
  const { db, externalUrl, locks } = deps;

  /** Locks as JSON, with the people who have them. */
  async function shown(rows: readonly PathLock[]) {
    const owners = await findReferences(
      db,
      rows.map(({ user_id }) => user_id),
    );
    return (lock: PathLock) => {
      const owner = owners.get(lock.user_id);
      return lockJson(lock, owner ? userReference(owner, externalUrl) : null);
    };
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: base,
      summary: 'List the locked files and folders of a project, by their paths',
      access: { on: 'project', ability: 'read_code' },
      pagination: 'offset',
      params: Type.Object({
        ...place,
        path: Optional(
          Str({
            maxLength: 4096,
            description:
              'Only what a page of this file or folder shows: its lock, those of folders above it and of entries in it; empty for the top folder',
          }),
        ),
      }),
      responses: { 200: ListOf(PathLockEntity) },
      handler: async ({ params, subject, page }) => {
        const path = params.path?.replace(/^\/+|\/+$/g, '');
        const rows = await pageOfLocks(db, subject.project.id, path, page);
        const paged = offsetPage(page, rows, await countLocks(db, subject.project.id, path));
        return mapPage(paged, await shown(rows));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: base,
      summary: 'Lock a file or folder of the default branch',
      access: { on: 'project', ability: 'push_code' },
      params: Type.Object({
        ...place,
        path: Str({ minLength: 1, maxLength: 4096, description: 'The file or folder' }),
      }),
      responses: { 201: PathLockEntity },
      errors: [404, 409, 422],
      handler: async ({ params, subject, caller }) => {
        const made = await locks.lock(subject, caller, params.path);
        return (await shown([made]))(made);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${base}/:lock_id`,
      summary: 'Unlock a file or folder',
      access: { on: 'project', ability: 'push_code' },
      conditional: 'A lock is made and taken away, never changed.',
      params: Type.Object({
        ...place,
        lock_id: Int({ description: 'Id of the lock' }),
        force: Optional(Bool({ description: "Take somebody else's lock away; maintainers only" })),
      }),
      responses: { 204: Empty },
      handler: async ({ params, subject, caller }) => {
        await locks.unlock(subject, caller, params.lock_id, params.force ?? false);
      },
    }),
  ];
}
