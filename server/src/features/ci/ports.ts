/** What CI needs of later domains. */
import type { Caller, ProjectSubject } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { Job, MergeRequest, Namespace, Pipeline, Project } from '../../kernel/db/rows.ts';
import { onePort } from '../../kernel/ports.ts';

/** The environment of a job, as its variables name it. */
export interface JobEnvironment {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly tier: string;
  readonly action: string;
  readonly external_url: string | null;
}

/** Whether a job may begin: `block` leaves it as a manual job that waits for approval. */
export type Admission = 'begin' | 'block' | { readonly failure: string };

export interface JobDeployments {
  /** After any job of a locked pipeline changed, in the same transaction: environments and deployments follow. */
  follow(tx: Db, pipeline: Pipeline): Promise<void>;
  /** Whether a job that is about to start may deploy. */
  admit(tx: Db, job: Pick<Job, 'id'>): Promise<Admission>;
  /** Throws unless the caller may start the job: `again` for a new attempt of one that has ended. */
  requireStart(subject: ProjectSubject, caller: Caller, job: Job, again: boolean): Promise<void>;
  /** How many approvals the deployments of jobs wait for, by the jobs' ids; those that wait for none are not there. */
  approvalsMissing(jobIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Null where the job has none. */
  environmentOf(db: Db, jobId: number): Promise<JobEnvironment | null>;
  /** Whether only some may deploy to the environment. */
  isProtected(db: Db, projectId: number, environment: Pick<JobEnvironment, 'name' | 'tier'>): Promise<boolean>;
  /** Remembers the address that a job gives its environment; what it refers to and is not known yet stays as it is. */
  addressKnown(db: Db, jobId: number, url: string): Promise<void>;
  /** Whether deployments of the project are frozen now. */
  frozen(db: Db, projectId: number): Promise<boolean>;
}

/** What variables of jobs say of approvals. */
export interface RequestApprovals {
  /** Whether a merge request of the project has all approvals that it needs. */
  approved(
    target: { readonly project: Project; readonly namespace: Namespace },
    request: MergeRequest,
  ): Promise<boolean>;
}

export const requestApprovals = onePort<RequestApprovals>('approvals of merge requests');

export const jobDeployments = onePort<JobDeployments>('deployments of jobs');
