/** LFS objects of projects: taken in, handed out, shared with forks, and removed when nobody has them. */
import { Readable } from 'node:stream';
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { HttpError, plainError, unprocessable } from '../../../kernel/http/errors.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { SizeLimits } from '../limits/limits.ts';
import * as queries from './objects.queries.ts';
import { type LfsPointer, readPointer } from './pointers.ts';

export interface LfsObjectsDependencies {
  readonly db: Db;
  readonly objects: ObjectStore;
  /** The project that another is a fork of, as the caller has it. */
  readonly project: (id: number, caller: Caller) => Promise<ProjectSubject | null>;
  readonly sizes: Pick<SizeLimits, 'remaining' | 'fullReason'>;
}

/** Hours that an object without a project is kept: a push that names it may be under way. */
const keptHours = 24;
const removedAtOnce = 200;

export function lfsObjects(deps: LfsObjectsDependencies) {
  const { db, objects } = deps;

  async function of({ project }: ProjectSubject, oids: readonly string[]): Promise<Map<string, queries.LfsObject>> {
    const found = await queries.objectsOf(db, project.id, oids);
    return new Map(found.map((object) => [object.oid, object]));
  }

  /** Why so many bytes more do not fit into a project; null where they do. */
  async function roomRefusal(subject: ProjectSubject, bytes: number): Promise<string | null> {
    const use = await deps.sizes.remaining(subject);
    return use && use.used + bytes > use.limit ? deps.sizes.fullReason('upload', use, bytes) : null;
  }

  /** Throws 406, which is what the ecosystem's clients know, where so many bytes more do not fit into a project. */
  async function requireRoom(subject: ProjectSubject, bytes: number): Promise<void> {
    const reason = await roomRefusal(subject, bytes);
    if (reason !== null) throw plainError(406, reason);
  }

  /** Bytes as they come, refused as soon as they are more than was said. */
  async function* bounded(body: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
    let seen = 0;
    for await (const chunk of body) {
      seen += chunk.length;
      if (seen > size) throw unprocessable(`The object has more than the ${size} bytes that were announced.`);
      yield chunk;
    }
  }

  /**
   * Takes the bytes of an object for a project. They are asked for although another project may have them: who knows an
   * object's id need not know the object. Throws 422 for bytes that are not what was announced, and keeps nothing.
   */
  async function take(
    subject: { readonly project: Pick<ProjectSubject['project'], 'id'> },
    { oid, size }: LfsPointer,
    body: AsyncIterable<Buffer>,
    signal: AbortSignal,
  ): Promise<void> {
    const kept = await objects.put(Readable.from(bounded(body, size), { objectMode: false }), { signal });
    const sha256 = kept.sha256.toString('hex');
    if (kept.size !== size || sha256 !== oid) {
      await objects.remove(kept.key);
      throw unprocessable(
        kept.size === size
          ? `The SHA-256 of what was sent is ${sha256}, not ${oid}.`
          : `The object has ${kept.size} bytes, not the ${size} that were announced.`,
      );
    }
    const row = { oid, size, object_key: kept.key };
    try {
      const counts = await transaction(db, (tx) => queries.keepObject(tx, subject.project.id, row));
      if (counts === kept.key) return;
      // The same bytes are there already, unless the storage has lost them.
      if (await objects.exists(counts)) await objects.remove(kept.key);
      else await queries.replaceKey(db, oid, kept.key);
    } catch (error) {
      // A connection may break after the commit: what a row names stays.
      if (!(await queries.isNamed(db, kept.key).catch(() => true))) await objects.remove(kept.key);
      throw error;
    }
  }

  /**
   * Gives a fork those of the objects that its source has, where the caller may read the source's code. Answers the ids
   * of all that the fork has then.
   */
  async function fromSource(
    { project }: ProjectSubject,
    caller: Caller,
    oids: readonly string[],
  ): Promise<ReadonlySet<string>> {
    if (project.forked_from_project_id === null || oids.length === 0) return new Set();
    const source = await deps.project(project.forked_from_project_id, caller);
    if (!source || !canOnProject(caller, 'read_code', source)) return new Set();
    await queries.shareObjects(db, source.project.id, project.id, oids);
    return new Set((await queries.objectsOf(db, project.id, oids)).map(({ oid }) => oid));
  }

  const sweep = defineTask(
    'repository.remove_lfs_objects',
    Type.Object({}),
    async (_payload, { signal }) => {
      await queries.noteOrphans(db);
      let removed = removedAtOnce;
      while (removed === removedAtOnce && !signal.aborted)
        removed = await transaction(db, (tx) => queries.removeOrphans(tx, keptHours, removedAtOnce));
    },
    { maxAttempts: 1, timeout: 3_600_000 },
  );

  /** The object that a small file points at, where the project has it; null for all other files. */
  async function behind(subject: ProjectSubject, content: Buffer): Promise<queries.LfsObject | null> {
    const pointer = subject.project.lfs_enabled ? readPointer(content) : null;
    return pointer ? ((await of(subject, [pointer.oid])).get(pointer.oid) ?? null) : null;
  }

  return {
    of,
    behind,
    /** Whether a project has any object. */
    any: (projectId: number) => queries.hasObjects(db, projectId),
    /** All objects of a project, in batches. */
    async *all(projectId: number, limit: number) {
      for (let after = 0; ; ) {
        const some = await queries.someObjects(db, projectId, after, limit);
        const last = some.at(-1);
        if (!last) return;
        yield some.map(({ oid, size, object_key: key }) => ({ oid, size, read: () => objects.get(key) }));
        after = last.id;
      }
    },
    requireRoom,
    take,
    fromSource,
    /** All objects of a project for its copy. */
    copied: (sourceId: number, targetId: number) => queries.shareObjects(db, sourceId, targetId, null),
    /** The same for a project that is imported: the reason where there is no room or the bytes are not what was said, null where they are kept. */
    async takeFor(
      subject: ProjectSubject,
      pointer: LfsPointer,
      body: AsyncIterable<Buffer>,
      signal: AbortSignal,
    ): Promise<string | null> {
      const full = await roomRefusal(subject, pointer.size);
      if (full !== null) return full;
      try {
        await take(subject, pointer, body, signal);
        return null;
      } catch (error) {
        if (error instanceof HttpError && error.status === 422) return error.message;
        throw error;
      }
    },
    /** Those of a project that another now has pointers to. */
    shared: async (sourceId: number, targetId: number, oids: readonly string[]) => {
      if (oids.length > 0) await queries.shareObjects(db, sourceId, targetId, oids);
    },
    tasks: [sweep] satisfies readonly Task[],
    cron: [{ schedule: '23 2 * * *', task: sweep.name }] satisfies readonly CronItem[],
  };
}
export type LfsObjects = ReturnType<typeof lfsObjects>;
