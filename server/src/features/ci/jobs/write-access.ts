/**
 * Who may change jobs and pipelines: the one rule of every write, and of reading what only those may see. Jobs of
 * protected refs run with their secrets and say what may be deployed, so that changing them is changing the ref.
 */
import { canOnProject } from '../../../kernel/authz/can.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Job, Pipeline } from '../../../kernel/db/rows.ts';
import { forbidden, unauthorized } from '../../../kernel/http/errors.ts';
import type { CiDependencies } from '../deps.ts';
import { fullRef, shortRef } from '../pipelines/references.ts';
import { targetBranchOf } from './context.queries.ts';

/** What is changed: a job, or a pipeline as a whole. */
export type Changed =
  | Pick<Job, 'ref' | 'tag' | 'ref_protected' | 'pipeline_id'>
  | Pick<Pipeline, 'ref' | 'tag' | 'ref_protected' | 'id' | 'merge_request_id'>;

type Readable = Pick<Job, 'ref' | 'tag' | 'ref_protected' | 'pipeline_id' | 'debug_trace'>;

/** Why somebody may not read what a job left. */
export const debugLogging =
  'the job ran with debug logging: its log and artifacts are only shown to those who may update it';

export type WriteAccess = ReturnType<typeof writeAccess>;

export function writeAccess({ db, repository }: Pick<CiDependencies, 'db' | 'repository'>) {
  const maintains = (caller: Caller, subject: ProjectSubject) => caller.admin || subject.level >= Level.maintainer;

  /** The ref that stands for what is changed; for merge requests the branch that they change. */
  async function refOf(of: Changed): Promise<string> {
    const { branch } = shortRef(of.ref);
    if (branch || !of.ref.startsWith('refs/merge-requests/')) return fullRef(of);
    const target = await targetBranchOf(db, 'pipeline_id' in of ? of.pipeline_id : of.id);
    return target === null ? of.ref : `refs/heads/${target}`;
  }

  /** Whether it is of a ref that is protected now, or was when it was made. */
  async function protection(subject: ProjectSubject, of: Changed) {
    const ofRequest = of.ref.startsWith('refs/merge-requests/');
    // A merge request may go to a protected branch from anywhere: only some of its pipelines count as protected.
    const ref = ofRequest && !of.ref_protected ? null : await refOf(of);
    const now = ref !== null && (await repository.isProtected(subject.project, ref));
    return { ref, now, any: now || of.ref_protected };
  }

  /** Whether the caller may do with the ref what is done to it. */
  async function mayUpdateRef(subject: ProjectSubject, caller: Caller, of: Changed): Promise<boolean> {
    const { ref, now, any } = await protection(subject, of);
    if (now && ref !== null) return await repository.mayUpdate(subject, caller, ref);
    return !any || maintains(caller, subject);
  }

  async function requireWrite(subject: ProjectSubject, caller: Caller, of: Changed): Promise<void> {
    const may = canOnProject(caller, 'update_job', subject) && (await mayUpdateRef(subject, caller, of));
    if (!may) throw forbidden();
  }

  /** A log with all variables in it, and what such a job leaves, are for those who could print them anyway. */
  async function mayRead(subject: ProjectSubject, caller: Caller, job: Readable): Promise<boolean> {
    if (!job.debug_trace) return true;
    if (!canOnProject(caller, 'read_debug_trace', subject)) return false;
    return maintains(caller, subject) || (await mayUpdateRef(subject, caller, job));
  }

  return {
    requireWrite,
    /** Erasing leaves no trace: it is for maintainers, and for people's own jobs where nothing is protected. */
    async requireErase(subject: ProjectSubject, caller: Caller, job: Job): Promise<void> {
      await requireWrite(subject, caller, job);
      if (maintains(caller, subject)) return;
      const own = caller.user !== null && job.user_id === caller.user.id;
      if (!own || (await protection(subject, job)).any) throw forbidden();
    },
    mayRead,
    async requireRead(subject: ProjectSubject, caller: Caller, job: Readable): Promise<void> {
      if (await mayRead(subject, caller, job)) return;
      throw caller.user === null ? unauthorized() : forbidden(debugLogging);
    },
  };
}
