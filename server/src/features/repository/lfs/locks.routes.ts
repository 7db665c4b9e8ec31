/** Locks of files for pages and tools; git-lfs has its own protocol for them (transport/lfs). */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, Optional } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findReferences, userReference } from '../../identity/index.ts';
import { LfsFileLock, lockJson } from './locks.entity.ts';
import { countLocks, pageOfLocks } from './locks.queries.ts';
import { lfsLocks } from './locks.service.ts';

const common = { tag: 'Repositories', credentials: ['token', 'session'] } as const;
const base = '/projects/:id/lfs_locks';
const place = { id: IdOrPath('Id or path of the project') };

/** Locks of files, and their routes. */
export function lfsLocking({ db, externalUrl }: { readonly db: Db; readonly externalUrl: string }) {
  const locks = lfsLocks(db);
  const routes: Route[] = [
    route({
      ...common,
      method: 'GET',
      path: base,
      summary: 'List the locked files of a project, by their paths',
      access: { on: 'project', ability: 'read_code' },
      pagination: 'offset',
      params: Type.Object(place),
      responses: { 200: ListOf(LfsFileLock) },
      handler: async ({ subject, page }) => {
        const rows = await pageOfLocks(db, subject.project.id, page);
        const owners = await findReferences(
          db,
          rows.map(({ user_id }) => user_id),
        );
        const paged = offsetPage(page, rows, await countLocks(db, subject.project.id));
        return mapPage(paged, (lock) => {
          const owner = owners.get(lock.user_id);
          return lockJson(lock, owner ? userReference(owner, externalUrl) : null);
        });
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${base}/:lock_id`,
      summary: 'Unlock a file',
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
  return { locks, routes };
}
