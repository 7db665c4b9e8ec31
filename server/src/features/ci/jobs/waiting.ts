/** What a job waits for, in words and numbers. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, Project } from '../../../kernel/db/rows.ts';
import type { CiDependencies } from '../deps.ts';
import { currentJob, findGroup, upcomingIds } from '../resource-groups/resource-groups.queries.ts';
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
  | 'ref_protected'
  | 'user_id'
  | 'status'
  | 'scheduled_at'
  | 'resource_group'
>;

/** By the ids of jobs. */
type Reasons = readonly (readonly [number, WaitingJson])[];

const NO_RUNNERS: RunnerCounts = { available: 0, tagged: 0, allowed: 0, active: 0, online: 0, busy: 0 };

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

/** Who has the resource, and how many of the group come before each of its jobs. */
async function forResource(db: Db, jobs: readonly WaitingJob[]): Promise<Reasons> {
  const [first] = jobs;
  if (!first) return [];
  const key = first.resource_group ?? '';
  const group = await findGroup(db, first.project_id, key);
  const holder = group && (await currentJob(db, group));
  const order = group ? await upcomingIds(db, group) : [];
  const who = holder
    ? `${holder.name} of pipeline #${holder.pipeline_id} in the resource group ${key}`
    : `the resource group ${key}`;
  return jobs.map(({ id }) => {
    const at = order.indexOf(id);
    const before = at === -1 ? order.length : at;
    const message = `Waiting for ${who}; ${ahead(before)}`;
    return [id, { reason: 'resource_group', message, jobs_ahead: before, runners_online: null }];
  });
}

/** What jobs that wait for a runner say. Those that the same runners may take are looked for together. */
async function forRunners(db: Db, jobs: readonly WaitingJob[], builtIn: BuiltIn): Promise<Reasons> {
  if (jobs.length === 0) return [];
  const counts = await runnersFor(
    db,
    jobs.map(({ id }) => id),
    builtIn,
  );
  const kinds = Map.groupBy(
    jobs.filter(({ id }) => (counts.get(id)?.online ?? 0) > 0),
    (job) => JSON.stringify([job.tag_list.toSorted(), job.ref_protected, job.user_id]),
  );
  const before = await Promise.all(
    [...kinds.values()].map(async ([first, ...others]) =>
      first ? await jobsAhead(db, [first.id, ...others.map(({ id }) => id)], builtIn) : new Map<number, number>(),
    ),
  );
  const aheadOf = new Map(before.flatMap((found) => [...found]));
  return jobs.map((job) => {
    const own = counts.get(job.id) ?? NO_RUNNERS;
    const number = own.online === 0 ? null : (aheadOf.get(job.id) ?? 0);
    return [job.id, { ...runnerReason(job, own, number ?? 0), jobs_ahead: number, runners_online: own.online }];
  });
}

async function forJobs(db: Db, jobs: readonly WaitingJob[]): Promise<Reasons> {
  if (jobs.length === 0) return [];
  const later = jobs.map(({ id, pipeline_id, stage_index, needs }) => ({
    ...{ id, pipeline_id, stage_index },
    needs: (needs as unknown as readonly PlanNeed[] | null)?.map((need) => need.name) ?? null,
  }));
  const unfinished = await unfinishedBefore(db, later);
  return jobs.map(({ id }) => {
    const names = unfinished.get(id) ?? [];
    const shown = names.length > 3 ? [...names.slice(0, 3), 'others'] : names;
    const message = names.length === 0 ? 'Waiting to be started' : `Waiting for ${listed(shown)}`;
    return [id, { reason: 'jobs', message, jobs_ahead: null, runners_online: null }];
  });
}

/** To the minute, as people read it. */
const minuteOf = (at: Date | null) => (at ? `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC` : 'its time');

/** What jobs that somebody has to start say: of some the deployment has to be approved first. */
async function forPeople(deployments: CiDependencies['deployments'], jobs: readonly WaitingJob[]): Promise<Reasons> {
  const approvals = await deployments.approvalsMissing(jobs.map(({ id }) => id));
  return jobs.map(({ id }) => {
    const missing = approvals.get(id) ?? 0;
    const said =
      missing === 0
        ? { reason: 'manual', message: 'Waiting to be started manually' }
        : {
            reason: 'approval',
            message: `Its deployment waits for ${missing === 1 ? 'an approval' : `${missing} approvals`}`,
          };
    return [id, { ...said, jobs_ahead: null, runners_online: null }];
  });
}

/** What jobs of a project wait for; those that do not are not there. */
export async function waitingFor(
  { db, builtIn, deployments }: Pick<CiDependencies, 'db' | 'builtIn' | 'deployments'>,
  project: Pick<Project, 'marked_for_deletion_on'>,
  jobs: readonly WaitingJob[],
): Promise<ReadonlyMap<number, WaitingJson>> {
  const of = (status: JobStatus) => jobs.filter((job) => job.status === status);
  const none = { jobs_ahead: null, runners_online: null };
  const deletion = { reason: 'deletion', message: 'The project is marked for deletion' };
  const pending = of('pending');
  const groups = Map.groupBy(of('waiting_for_resource'), ({ resource_group: key }) => key);
  const parts: Reasons[] = await Promise.all([
    project.marked_for_deletion_on
      ? pending.map(({ id }): Reasons[number] => [id, { ...deletion, jobs_ahead: null, runners_online: 0 }])
      : forRunners(db, pending, { exists: builtIn.exists(), serves: builtIn.serves() }),
    forJobs(db, of('created')),
    ...[...groups.values()].map((group) => forResource(db, group)),
    of('scheduled').map(({ id, scheduled_at: at }): Reasons[number] => [
      id,
      { reason: 'delay', message: `Delayed until ${minuteOf(at)}`, ...none },
    ]),
    forPeople(deployments, of('manual')),
  ]);
  return new Map(parts.flat());
}
