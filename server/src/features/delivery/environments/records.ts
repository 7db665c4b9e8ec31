/** Environments and deployments of jobs: made when the jobs are, moved as the jobs move. */
import { environmentSlug, expandVariables } from '@millrace/ci-config';
import type { Db } from '../../../kernel/db/index.ts';
import type { Deployment, Environment, Pipeline } from '../../../kernel/db/rows.ts';
import { deploymentChanged, recordFact, toInstant } from '../../../kernel/events/index.ts';
import { addJob } from '../../../kernel/queue/index.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import { type JobPlan, reportedVariables } from '../../ci/index.ts';
import { nextIid } from '../../namespaces/index.ts';
import { guessTier, isExternalUrl, nameProblem, type Tier } from '../environment-names.ts';
import * as deployments from './deployments.queries.ts';
import * as queries from './environments.queries.ts';

/** Task that finds the merge requests that a deployment brought. */
export const linkTask = { name: 'deployments.link_merge_requests', maxAttempts: 5 };

/** As the API takes them. */
const longestClusterName = 255;

/** Attempts to find a slug that no other environment of the project has. */
const slugAttempts = 5;

/** The environment of that name, made where there is none; null when the name is not valid. */
export async function ensureEnvironment(
  tx: Db,
  projectId: number,
  name: string,
  tier: Tier | null,
): Promise<Environment | null> {
  if (nameProblem(name) !== null) return null;
  for (let attempt = 0; attempt < slugAttempts; attempt++) {
    const found = await queries.findEnvironmentByName(tx, projectId, name);
    if (found) return found;
    const slug = environmentSlug(name, attempt === 0 ? '' : `-${attempt}`);
    const made = await queries.insertEnvironment(tx, {
      project_id: projectId,
      name,
      slug,
      tier: tier ?? guessTier(name),
    });
    if (made) return made;
  }
  return null;
}

/** Gives jobs that have none yet their environment, and a deployment where they deploy. */
export async function register(tx: Db, of: Parameters<typeof queries.unregisteredJobs>[1]): Promise<void> {
  for (const job of await queries.unregisteredJobs(tx, of)) {
    const plan = (job.plan as unknown as JobPlan).environment;
    const action = plan?.action ?? 'start';
    const environment = await ensureEnvironment(
      tx,
      job.project_id,
      job.environment,
      (plan?.tier ?? null) as Tier | null,
    );
    if (!environment) continue;
    await queries.insertJobEnvironment(tx, { job_id: job.id, environment_id: environment.id, action });
    if (action !== 'start') continue;
    await deployments.insertDeployment(tx, {
      iid: await nextIid(tx, job.project_id, 'deployment'),
      project_id: job.project_id,
      environment_id: environment.id,
      job_id: job.id,
      user_id: job.user_id,
      ref: job.ref,
      tag: job.tag,
      sha: job.sha,
      status: 'created',
    });
  }
}

/** Statuses that others are told of. */
const told: ReadonlySet<Deployment['status']> = new Set(['running', 'success', 'failed', 'canceled', 'blocked']);

/** What follows when a deployment has another status: others are told, and its merge requests are looked for. */
export async function deploymentMoved(tx: Db, deployment: Deployment, actorId = deployment.user_id): Promise<void> {
  const { id, status, project_id } = deployment;
  if (status === 'success') await addJob(tx, linkTask, { deployment_id: id });
  if (!told.has(status)) return;
  const payload = { deployment_id: id, status, changed_at: toInstant(deployment.updated_at) };
  await recordFact(tx, deploymentChanged, payload, { project_id, actor_id: actorId });
}

/** The address of the environment, with what the job has reported; null where that is no address. */
function addressOf(deps: { readonly secrets: Secrets }, known: string | null, job: queries.EndedJob): string | null {
  if (known === null) return null;
  const reported = reportedVariables(deps, job).map((variable) => ({ ...variable, raw: true }));
  const url = expandVariables(known, reported, 'empty');
  return isExternalUrl(url) ? url : null;
}

/** Where it runs in a cluster, with what the job has reported. */
function clusterOf(
  { namespace, flux_resource_path: path }: NonNullable<NonNullable<JobPlan['environment']>['kubernetes']>,
  job: queries.EndedJob,
  deps: { readonly secrets: Secrets },
) {
  const reported = reportedVariables(deps, job).map((variable) => ({ ...variable, raw: true }));
  const expanded = (text: string | null) =>
    text === null ? null : expandVariables(text, reported, 'empty').slice(0, longestClusterName) || null;
  return { kubernetes_namespace: expanded(namespace), flux_resource_path: expanded(path) };
}

/** Changes an environment for a job that has ended. */
async function applyEnd(deps: { readonly secrets: Secrets }, tx: Db, job: queries.EndedJob): Promise<void> {
  const { environment_id: id, action, status } = job;
  const plan = (job.plan as unknown as JobPlan).environment;
  if (action === 'stop') {
    if (status === 'success') await queries.updateEnvironment(tx, id, { state: 'stopped', auto_stop_at: null });
    // What was to be stopped still runs.
    else await queries.moveEnvironment(tx, id, ['stopping'], { state: 'available' });
    return;
  }
  if (status !== 'success' || action === 'verify') return;
  // Looking after an environment keeps it for as long as deploying to it does.
  const own = plan?.auto_stop_in_seconds ?? null;
  const seconds = own === null && action !== 'start' ? await deployments.lifetimeOf(tx, id) : own;
  const stop = seconds === null ? {} : { auto_stop_at: seconds === 0 ? null : new Date(Date.now() + seconds * 1000) };
  if (action !== 'start') {
    if (seconds !== null) await queries.updateEnvironment(tx, id, stop);
    return;
  }
  const deployment = await deployments.deploymentOfJob(tx, job.id);
  const url = addressOf(deps, deployment?.url ?? null, job);
  await queries.updateEnvironment(tx, id, {
    state: 'available',
    auto_delete_at: null,
    // A deployment that does not say when it stops leaves the time as it is.
    ...stop,
    ...(url === null ? {} : { external_url: url }),
    ...(plan?.tier ? { tier: plan.tier as Tier } : {}),
    ...(plan?.kubernetes ? clusterOf(plan.kubernetes, job, deps) : {}),
  });
}

/** Brings environments and deployments of a locked pipeline to where its jobs are. */
export async function follow(deps: { readonly secrets: Secrets }, tx: Db, { id }: Pick<Pipeline, 'id'>): Promise<void> {
  await register(tx, { pipelineId: id });
  for (const moved of await deployments.followJobs(tx, id)) await deploymentMoved(tx, moved);
  for (const ended of await queries.takeEndedJobs(tx, id)) await applyEnd(deps, tx, ended);
}
