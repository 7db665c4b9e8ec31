/** Locks of files: https://github.com/git-lfs/git-lfs/blob/main/docs/api/locking.md */
import type { FastifyRequest } from 'fastify';
import type { Caller, ProjectSubject } from '../../kernel/authz/subjects.ts';
import { plainError, unprocessable } from '../../kernel/http/errors.ts';
import { answer, refuse } from './answers.ts';
import type { LfsCallers } from './callers.ts';
import type { Handler } from './objects.ts';

interface LfsLock {
  readonly id: number;
  readonly path: string;
  readonly created_at: Date;
  readonly user_id: number;
  readonly name: string;
}

/** Locks of projects, implemented by the repository feature. */
export interface LfsLockStore {
  lock(
    subject: ProjectSubject,
    caller: Caller,
    path: string,
  ): Promise<{ readonly made: boolean; readonly lock: LfsLock }>;
  unlock(subject: ProjectSubject, caller: Caller, id: number, force: boolean): Promise<LfsLock>;
  list(
    subject: ProjectSubject,
    window: {
      readonly path?: string | undefined;
      readonly id?: number | undefined;
      readonly after: number;
      readonly limit: number;
    },
  ): Promise<readonly LfsLock[]>;
}

export interface LfsLockDependencies {
  readonly callers: LfsCallers;
  readonly locks: LfsLockStore;
  readonly documentation: string;
  readonly readJson: (request: FastifyRequest) => Promise<Readonly<Record<string, unknown>>>;
}

const largestPage = 100;

const shown = ({ id, path, created_at, name }: LfsLock) => ({
  id: String(id),
  path,
  locked_at: created_at.toISOString(),
  owner: { name },
});

const idOf = (text: unknown): number | undefined =>
  typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

/** The part of a list that is asked for: `cursor` is the id of the last lock before it. */
function windowOf({ limit, cursor }: Readonly<Record<string, unknown>>): { after: number; limit: number } {
  const after = cursor === undefined || cursor === null || cursor === '' ? 0 : idOf(cursor);
  const given = limit === undefined || limit === null || limit === '' ? largestPage : Number(limit);
  if (after === undefined) throw unprocessable('cursor must be a next_cursor of an answer.');
  if (!Number.isInteger(given) || given < 0) throw unprocessable('limit must be a whole number.');
  return { after, limit: given === 0 ? largestPage : Math.min(given, largestPage) };
}

export function lfsLockHandlers(deps: LfsLockDependencies) {
  const { callers, locks } = deps;
  const paramsOf = (request: FastifyRequest) => request.params as Readonly<Record<'repository' | 'id', string>>;

  /** One more than asked for tells whether there are more. */
  async function page(
    subject: ProjectSubject,
    { limit, ...rest }: Parameters<LfsLockStore['list']>[1],
  ): Promise<{ readonly found: readonly LfsLock[]; readonly next: { readonly next_cursor?: string } }> {
    const rows = await locks.list(subject, { ...rest, limit: limit + 1 });
    const found = rows.slice(0, limit);
    const last = found.at(-1);
    return { found, next: rows.length > limit && last ? { next_cursor: String(last.id) } : {} };
  }

  const create: Handler = async (request, reply) => {
    const who = await callers.identify(request, reply);
    const { subject, caller } = await callers.authorise(who, paramsOf(request).repository, 'write');
    callers.requireDirection(who, 'upload');
    const { path } = await deps.readJson(request);
    if (typeof path !== 'string' || path === '') throw unprocessable('path must be that of a file.');
    const { made, lock } = await locks.lock(subject, caller, path);
    if (made) return answer(reply, 201, { lock: shown(lock) });
    const taken = plainError(409, `'${lock.path}' is locked already, by ${lock.name}.`);
    return refuse(request, reply, taken, deps.documentation, { lock: shown(lock) });
  };

  const list: Handler = async (request, reply) => {
    const who = await callers.identify(request, reply);
    const { subject } = await callers.authorise(who, paramsOf(request).repository, 'read');
    callers.requireDirection(who, 'download');
    const { path, id, ...rest } = request.query as Readonly<Record<string, unknown>>;
    if (path !== undefined && typeof path !== 'string') throw unprocessable('path must be one path.');
    const wanted = id === undefined || id === '' ? undefined : idOf(id);
    const impossible = id !== undefined && id !== '' && wanted === undefined;
    const { found, next } = impossible
      ? { found: [], next: {} }
      : await page(subject, { ...windowOf(rest), path: path === '' ? undefined : path, id: wanted });
    return answer(reply, 200, { locks: found.map(shown), ...next });
  };

  const verify: Handler = async (request, reply) => {
    const who = await callers.identify(request, reply);
    const { subject, caller } = await callers.authorise(who, paramsOf(request).repository, 'write');
    callers.requireDirection(who, 'upload');
    const { found, next } = await page(subject, windowOf(await deps.readJson(request)));
    const me = caller.credential.kind === 'deploy_key' ? undefined : caller.user?.id;
    return answer(reply, 200, {
      ours: found.filter(({ user_id }) => user_id === me).map(shown),
      theirs: found.filter(({ user_id }) => user_id !== me).map(shown),
      ...next,
    });
  };

  const unlock: Handler = async (request, reply) => {
    const who = await callers.identify(request, reply);
    const { subject, caller } = await callers.authorise(who, paramsOf(request).repository, 'write');
    callers.requireDirection(who, 'upload');
    const { force = false } = await deps.readJson(request);
    if (typeof force !== 'boolean') throw unprocessable('force must be true or false.');
    const lock = await locks.unlock(subject, caller, idOf(paramsOf(request).id) ?? 0, force);
    return answer(reply, 200, { lock: shown(lock) });
  };

  return { create, list, verify, unlock };
}
