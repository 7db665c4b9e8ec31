/** What a job waits for, in words and numbers. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, Project } from '../../../kernel/db/rows.ts';
import { currentJob, findGroup, upcomingBefore } from '../resource-groups/resource-groups.queries.ts';
import {
  type BuiltIn,
  jobsAhead,
  type RunnerCounts,
  runnersFor,
  unfinishedBefore,
} from '../runner-protocol/queue.queries.ts';
import type { JobStatus } from '../scheduling/job-states.ts';
import type { WaitingJson } from './jobs.entity.ts';
import type { PlanNeed } from './plan.ts';

type WaitingJob = Pick<
  Job,
  | 'id'
  | 'project_id'
  | 'pipeline_id'
  | 'stage_index'
  | 'needs'
  | 'tag_list'
  | 'status'
  | 'scheduled_at'
  | 'resource_group'
>;

const listed = (names: readonly string[]) => names.join(', ');

function tagged(tags: readonly string[]): string {
  if (tags.length === 0) return '';
  return ` with the ${tags.length === 1 ? 'tag' : 'tags'} ${listed(tags)}`;
}

function ahead(count: number): string {
  if (count === 0) return 'next in line';
  return count === 1 ? '1 job ahead' : `${count} jobs ahead`;
}

/** Why no runner has it, the first condition that none of them meets. */
function runnerReason(
  job: Pick<Job, 'tag_list'>,
  counts: RunnerCounts,
  before: number,
): Pick<WaitingJson, 'reason' | 'message'> {
  const tags = job.tag_list;
  if (counts.available === 0) return { reason: 'no_runner', message: 'No runner is available to this project' };
  if (counts.tagged === 0)
    return tags.length === 0
      ? { reason: 'tags', message: 'No runner takes jobs without tags' }
      : {
          reason: 'tags',
          message: `No runner has ${tags.length === 1 ? 'the tag' : 'all of the tags'} ${listed(tags)}`,
        };
  if (counts.allowed === 0)
    return { reason: 'protected', message: `Runners${tagged(tags)} only run jobs of protected branches and tags` };
  if (counts.active === 0) return { reason: 'paused', message: `All runners${tagged(tags)} are paused` };
  if (counts.online === 0) return { reason: 'offline', message: `No runner${tagged(tags)} is online` };
  return { reason: 'runner', message: `Waiting for a runner${tagged(tags)}; ${ahead(before)}` };
}

/** Who has the resource, and how many of the group come first. */
async function resourceReason(db: Db, job: WaitingJob): Promise<Pick<WaitingJson, 'message' | 'jobs_ahead'>> {
  const key = job.resource_group ?? '';
  const group = await findGroup(db, job.project_id, key);
  const holder = group && (await currentJob(db, group));
  const before = group ? await upcomingBefore(db, group, job.id) : 0;
  const who = holder
    ? `${holder.name} of pipeline #${holder.pipeline_id} in the resource group ${key}`
    : `the resource group ${key}`;
  return { message: `Waiting for ${who}; ${ahead(before)}`, jobs_ahead: before };
}

/** To the minute, as people read it. */
const minuteOf = (at: Date | null) => (at ? `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC` : 'its time');

/** Of a manual job whose deployment has to be approved first. */
export const approvalReason = (missing: number): Pick<WaitingJson, 'reason' | 'message'> => ({
  reason: 'approval',
  message: `Its deployment waits for ${missing === 1 ? 'an approval' : `${missing} approvals`}`,
});

/** Null for a job that does not wait. */
export async function waitingFor(
  db: Db,
  project: Pick<Project, 'marked_for_deletion_on'>,
  job: WaitingJob,
  builtIn: BuiltIn,
): Promise<WaitingJson | null> {
  const none = { jobs_ahead: null, runners_online: null };
  switch (job.status as JobStatus) {
    case 'pending': {
      if (project.marked_for_deletion_on)
        return {
          reason: 'deletion',
          message: 'The project is marked for deletion',
          jobs_ahead: null,
          runners_online: 0,
        };
      const counts = await runnersFor(db, job.id, builtIn);
      const before = counts.online === 0 ? null : await jobsAhead(db, job.id, builtIn);
      return { ...runnerReason(job, counts, before ?? 0), jobs_ahead: before, runners_online: counts.online };
    }
    case 'created': {
      const needs = (job.needs as unknown as readonly PlanNeed[] | null)?.map((need) => need.name) ?? null;
      const names = await unfinishedBefore(db, { ...job, needs });
      const shown = names.length > 3 ? [...names.slice(0, 3), 'others'] : names;
      return {
        reason: 'jobs',
        message: names.length === 0 ? 'Waiting to be started' : `Waiting for ${listed(shown)}`,
        ...none,
      };
    }
    case 'waiting_for_resource':
      return { reason: 'resource_group', ...(await resourceReason(db, job)), runners_online: null };
    case 'scheduled':
      return { reason: 'delay', message: `Delayed until ${minuteOf(job.scheduled_at)}`, ...none };
    case 'manual':
      return { reason: 'manual', message: 'Waiting to be started manually', ...none };
    default:
      return null;
  }
}
