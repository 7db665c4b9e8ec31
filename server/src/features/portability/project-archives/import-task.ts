/** The course of an import in the background, wherever it comes from: taken up after a crash, ended in words. */
import Type from 'typebox';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import { defineTask, type Task } from '../../../kernel/queue/index.ts';
import { findProject } from '../../namespaces/index.ts';
import { type Failure, finishImport, isAwaited, moveImport } from './transfers.queries.ts';

export interface ImportResult {
  readonly stats: object;
  readonly failures: readonly Failure[];
}

export interface ImportCourse {
  readonly name: string;
  /** Longest run in milliseconds. */
  readonly timeout: number;
  /** Fills the project. The signal ends it, also where nobody waits for it any more. */
  fill(project: Project, signal: AbortSignal): Promise<ImportResult>;
  /** What is wrong with what was given, in words; null for what is wrong with the instance, which is tried again. */
  reasonOf(error: unknown): string | null;
  /** Told when all attempts failed for reasons of the instance. */
  readonly givenUp: string;
  /** In the transaction that ends it well. */
  arrived(tx: Db, project: Project): Promise<void>;
}

export const importAttempts = 3;
/** How long nobody may notice that an import is canceled, in milliseconds. */
const lookEvery = 1_000;

export function importTask(db: Db, course: ImportCourse): Task {
  /** Ends the work when nobody waits for it any more; null then. */
  async function whileAwaited<T>(id: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>) {
    const gone = new AbortController();
    const look = () =>
      isAwaited(db, id).then(
        (awaited) => awaited || gone.abort(),
        // The database is asked again; that it does not answer says nothing of the project.
        () => undefined,
      );
    const timer = setInterval(() => void look(), lookEvery);
    try {
      return await work(AbortSignal.any([signal, gone.signal]));
    } catch (error) {
      if (gone.signal.aborted && !signal.aborted) return null;
      throw error;
    } finally {
      clearInterval(timer);
    }
  }

  const fail = (id: number, reason: string): Promise<void> =>
    transaction(db, async (tx) => {
      await moveImport(tx, id, ['scheduled', 'started'], 'failed', reason);
      // The counts so far stay.
      await finishImport(tx, id, null);
    });

  return defineTask(
    course.name,
    Type.Object({ project_id: Type.Integer() }),
    async ({ project_id: id }, { signal, attempt, maxAttempts }) => {
      const project = await findProject(db, id);
      // A process that died leaves `started`: the next attempt goes on, or begins again.
      if (!project || !(await moveImport(db, id, ['scheduled', 'started'], 'started'))) return;
      try {
        const result = await whileAwaited(id, signal, (until) => course.fill(project, until));
        if (result === null) {
          // Of a project that is marked for removal: it may come back, without what was not fetched.
          await moveImport(db, id, ['started'], 'canceled');
          return;
        }
        await transaction(db, async (tx) => {
          if (!(await moveImport(tx, id, ['started'], 'finished'))) return;
          await finishImport(tx, id, result);
          await course.arrived(tx, project);
        });
      } catch (error) {
        const reason = course.reasonOf(error);
        if (reason !== null) return await fail(id, reason);
        if (attempt >= maxAttempts) await fail(id, course.givenUp);
        throw error;
      }
    },
    { maxAttempts: importAttempts, timeout: course.timeout },
  );
}
