/** Runs the working tree on a server: as a branch of its own that is deleted afterwards, with the logs of its jobs. */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type ApiClient, createApiClient, type Schemas } from '@millrace/api-client';
import type { WorkTree } from '@millrace/git/work-tree';
import { CiError } from './event.ts';

interface RemoteOptions {
  /** URL of the instance; that of `origin` without it. */
  readonly server: string | undefined;
  /** Full path of the project; that of `origin` without it. */
  readonly project: string | undefined;
  readonly token: string | undefined;
  readonly variables: readonly string[];
  readonly inputs: readonly string[];
  /** Leaves the branch and the pipeline. */
  readonly keep: boolean;
  /** Between two looks at the pipeline. */
  readonly milliseconds?: number;
  /** Ends the pipeline and the command. */
  readonly interrupted: AbortSignal;
  print(line: string): void;
  write(chunk: Uint8Array): void;
}

type Job = Schemas['Job'];

const ended: ReadonlySet<string> = new Set(['success', 'failed', 'canceled', 'skipped', 'manual']);
/** Looks for the pipeline of a push before it is said that there is none. */
const looksForPipeline = 30;

interface Place {
  readonly server: string;
  readonly project: string;
}

/** Between two looks. */
async function pause({ milliseconds = 1000, interrupted }: RemoteOptions): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal: interrupted }).catch(() => {
    throw new CiError('interrupted');
  });
}

/** Where the remote of the checkout is: the server of its address, unless another one is named. */
export function placeOf(remote: string | null, given: Pick<RemoteOptions, 'server' | 'project'>): Place {
  const address = remote !== null && /^https?:\/\//i.test(remote) ? new URL(remote) : null;
  const ssh = remote === null ? null : /^(?:ssh:\/\/[^/]+\/|[^/:]+:)(?!\/\/)(.+)$/.exec(remote);
  const path = (address?.pathname ?? ssh?.[1] ?? '').replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  const server = (given.server ?? address?.origin ?? '').replace(/\/+$/, '');
  const project = given.project ?? path;
  if (server === '') throw new CiError('the remote origin has no http address: name the instance with --server URL');
  if (project === '') throw new CiError('the remote origin names no project: name it with --project PATH');
  return { server, project };
}

/** The data of an answer; what the server says is wrong ends the command. */
async function expected<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await answer;
  if (!response.ok || data === undefined)
    throw new CiError(`the server answers ${response.status}: ${JSON.stringify(error ?? null)}`);
  return data;
}

async function pipelineOf(
  api: ApiClient,
  id: string,
  sha: string,
  options: RemoteOptions,
): Promise<Schemas['PipelineListed']> {
  for (let look = 0; look < looksForPipeline; look++) {
    const params = { path: { id }, query: { sha } };
    const [found] = await expected(api.GET('/projects/{id}/pipelines', { params }));
    if (found) return found;
    await pause(options);
  }
  throw new CiError('the server made no pipeline: its configuration has no jobs for this push, or pipelines are off');
}

/** Prints the log of each job when it has ended; answers the last state of the jobs. */
async function follow(api: ApiClient, id: string, pipelineId: number, options: RemoteOptions): Promise<Job[]> {
  const told = new Set<number>();
  for (;;) {
    const at = { path: { id, pipeline_id: pipelineId } };
    const { status } = await expected(api.GET('/projects/{id}/pipelines/{pipeline_id}', { params: at }));
    const jobs = await expected(
      api.GET('/projects/{id}/pipelines/{pipeline_id}/jobs', { params: { ...at, query: { per_page: 100 } } }),
    );
    for (const job of jobs.toSorted((a, b) => a.id - b.id)) {
      if (told.has(job.id) || !['success', 'failed'].includes(job.status)) continue;
      told.add(job.id);
      options.print(`=== ${job.name} (${job.stage}): ${job.status}`);
      const { data } = await api.GET('/projects/{id}/jobs/{job_id}/trace', {
        params: { path: { id, job_id: job.id } },
        parseAs: 'arrayBuffer',
      });
      if (data) options.write(new Uint8Array(data as ArrayBuffer));
    }
    if (ended.has(status)) return jobs;
    await pause(options);
  }
}

/** Nobody waits any more for what runs for a commit. */
async function endPipelines(api: ApiClient, id: string, sha: string, { keep }: RemoteOptions): Promise<void> {
  const { data = [] } = await api.GET('/projects/{id}/pipelines', { params: { path: { id }, query: { sha } } });
  for (const pipeline of data) {
    const params = { path: { id, pipeline_id: pipeline.id } };
    await api.POST('/projects/{id}/pipelines/{pipeline_id}/cancel', { params });
    if (!keep) await api.DELETE('/projects/{id}/pipelines/{pipeline_id}', { params });
  }
}

/** How each job ended, by name. */
export async function runRemotely(
  tree: WorkTree,
  options: RemoteOptions,
): Promise<{ readonly status: string; readonly jobs: ReadonlyMap<string, string> }> {
  if (!options.token) throw new CiError('set MILLRACE_TOKEN to an access token with the scope api');
  const { server, project } = placeOf(tree.remote, options);
  const branch = `millrace-ci/${tree.branch ?? 'detached'}-${randomBytes(4).toString('hex')}`;
  const api = createApiClient({ url: server, token: options.token });
  const snapshot = await tree.snapshot(branch);
  const params = { path: { id: project, branch } };
  try {
    await snapshot.push(`${server}/${project}.git`, branch, {
      token: options.token,
      options: [
        ...options.variables.map((text) => `ci.variable=${text}`),
        ...options.inputs.map((text) => `ci.input=${text}`),
      ],
    });
    try {
      const pipeline = await pipelineOf(api, project, snapshot.sha, options);
      options.print(pipeline.web_url);
      const at = { path: { id: project, pipeline_id: pipeline.id } };
      const jobs = await follow(api, project, pipeline.id, options);
      const { status, yaml_errors: wrong } = await expected(
        api.GET('/projects/{id}/pipelines/{pipeline_id}', { params: at }),
      );
      // Those who may not delete pipelines leave it.
      if (!options.keep) await api.DELETE('/projects/{id}/pipelines/{pipeline_id}', { params: at });
      if (wrong) throw new CiError(wrong);
      return { status, jobs: new Map(jobs.map((job) => [job.name, job.status])) };
    } finally {
      if (options.interrupted.aborted) await endPipelines(api, project, snapshot.sha, options);
      if (!options.keep) await api.DELETE('/projects/{id}/repository/branches/{branch}', { params });
    }
  } finally {
    await snapshot.remove();
  }
}
