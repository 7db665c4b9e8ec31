/** What pages ask of the API, as queries with their keys: loaders and components share them. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll, unwrapPage } from './api.ts';
import { currentSession } from './session.ts';

const perPage = 20;

/** Orders of lists of projects, by the word in the address. */
export const projectOrders = {
  activity: { label: 'Last active', query: { order_by: 'last_activity_at', sort: 'desc' } },
  created: { label: 'Newest', query: { order_by: 'created_at', sort: 'desc' } },
  name: { label: 'Name', query: { order_by: 'name', sort: 'asc' } },
  stars: { label: 'Most stars', query: { order_by: 'star_count', sort: 'desc' } },
} as const;
export type ProjectOrder = keyof typeof projectOrders;

interface ProjectsFilter {
  readonly search?: string | undefined;
  readonly page?: number | undefined;
  readonly list?: string | undefined;
  readonly order?: string | undefined;
}

/** Projects in use: those that are archived or scheduled for deletion have a list of their own. */
const narrowed = {
  yours: { membership: true, active: true },
  starred: { starred: true, active: true },
  all: { active: true },
  inactive: { active: false },
} as const;

/** The caller's projects, those that they starred or did something in, all that they see, or those out of use. */
export const projects = (filter: ProjectsFilter) =>
  queryOptions({
    queryKey: ['projects', filter],
    queryFn: async () => {
      const order = projectOrders[(filter.order ?? 'activity') as ProjectOrder] ?? projectOrders.activity;
      const query = {
        ...order.query,
        per_page: perPage,
        page: filter.page ?? 1,
        ...(filter.search ? { search: filter.search, search_namespaces: true } : {}),
      };
      if (filter.list === 'contributed') {
        const { user } = await currentSession();
        const path = { user_id: String(user?.id ?? 0) };
        const used = { ...query, active: true };
        return await unwrapPage(client.GET('/users/{user_id}/contributed_projects', { params: { path, query: used } }));
      }
      const list = filter.list ?? 'yours';
      const mine = Object.hasOwn(narrowed, list) ? narrowed[list as keyof typeof narrowed] : narrowed.yours;
      return await unwrapPage(client.GET('/projects', { params: { query: { ...query, ...mine } } }));
    },
  });

/** What happened in the projects of which the caller is a member. */
export const ownActivity = (page: number) =>
  queryOptions({
    queryKey: ['events', page],
    queryFn: () => unwrapPage(client.GET('/events', { params: { query: { scope: 'all', page, per_page: perPage } } })),
  });

export const transferLocations = (path: string) =>
  queryOptions({
    queryKey: ['project', path, 'transfer-locations'],
    queryFn: () =>
      unwrapAll(
        client.GET('/projects/{id}/transfer_locations', { params: { path: { id: path }, query: { per_page: 100 } } }),
      ),
  });

export const twoFactor = () =>
  queryOptions({ queryKey: ['two-factor'], queryFn: () => unwrap(client.GET('/user/two_factor')) });

export const activeSessions = () =>
  queryOptions({
    queryKey: ['active-sessions'],
    queryFn: () => unwrapAll(client.GET('/user/sessions', { params: { query: { per_page: 100 } } })),
  });

export const namespaces = () =>
  queryOptions({
    queryKey: ['namespaces'],
    queryFn: () => unwrapAll(client.GET('/namespaces', { params: { query: { per_page: 100 } } })),
  });

export const project = (path: string) =>
  queryOptions({
    queryKey: ['project', path],
    queryFn: () =>
      unwrap(
        client.GET('/projects/{id}', {
          params: { path: { id: path }, query: { license: true, with_starred: true, with_counts: true } },
        }),
      ),
  });

/** What new projects may start with. */
export const projectTemplates = () =>
  queryOptions({
    queryKey: ['project-templates'],
    queryFn: () => unwrapAll(client.GET('/templates/projects', { params: { query: { per_page: 100 } } })),
  });

export const group = (path: string) =>
  queryOptions({
    queryKey: ['group', path],
    queryFn: () =>
      unwrap(
        client.GET('/groups/{id}', {
          params: {
            path: { id: path },
            query: { with_projects: false, with_own_access_level: true, with_counts: true },
          },
        }),
      ),
  });

export const applicationSettings = () =>
  queryOptions({
    queryKey: ['application-settings'],
    queryFn: () => unwrap(client.GET('/application/settings')),
  });

/** An input of a configuration, with the options and the default that hold beside the others' values. */
export interface DeclaredInput {
  readonly name: string;
  readonly type: string;
  readonly description: string | null;
  readonly required: boolean;
  readonly default?: unknown;
  readonly options: readonly unknown[] | null;
  readonly regex: string | null;
}

/** What a configuration asks of whoever starts a pipeline: inputs, and the variables that say what they are for. */
interface Declared {
  readonly inputs: readonly DeclaredInput[];
  readonly variables: NonNullable<Schemas['LintResult']['variables']>;
}

/** The parts of one project by its full path. */
export const of = (path: string) => {
  const id = { id: path };
  return {
    declared: (ref: string, given: Readonly<Record<string, string>>) =>
      queryOptions({
        queryKey: ['project', path, 'inputs', ref, given],
        queryFn: async (): Promise<Declared> => {
          const query = { content_ref: ref, include_inputs: true, include_variables: true, inputs: given };
          const checked = await unwrap(client.GET('/projects/{id}/ci/lint', { params: { path: id, query } }));
          return { inputs: (checked.inputs ?? []) as readonly DeclaredInput[], variables: checked.variables ?? [] };
        },
      }),
    /** The first hundred that match; what people type narrows them down. */
    branches: (search?: string) =>
      queryOptions({
        queryKey: ['project', path, 'branches', search],
        queryFn: () =>
          unwrap(
            client.GET('/projects/{id}/repository/branches', {
              params: { path: id, query: { per_page: 100, ...(search ? { search } : {}) } },
            }),
          ),
      }),
    events: (page: number) =>
      queryOptions({
        queryKey: ['project', path, 'events', page],
        queryFn: () =>
          unwrapPage(client.GET('/projects/{id}/events', { params: { path: id, query: { page, per_page: perPage } } })),
      }),
    tags: (search?: string) =>
      queryOptions({
        queryKey: ['project', path, 'tags', search],
        queryFn: () =>
          unwrap(
            client.GET('/projects/{id}/repository/tags', {
              params: { path: id, query: { per_page: 100, ...(search ? { search } : {}) } },
            }),
          ),
      }),
    /** All branches and tags. */
    refs: () =>
      queryOptions({
        queryKey: ['project', path, 'branches', 'and-tags', 'all'],
        queryFn: async () => {
          const params = { path: id, query: { per_page: 100 } };
          const [branches, tags] = await Promise.all([
            unwrapAll(client.GET('/projects/{id}/repository/branches', { params })),
            unwrapAll(client.GET('/projects/{id}/repository/tags', { params })),
          ]);
          return [...branches, ...tags];
        },
      }),
    tree: (ref: string, folder: string) =>
      infiniteQueryOptions({
        queryKey: ['project', path, 'tree', ref, folder],
        queryFn: ({ pageParam }) =>
          unwrapPage(
            client.GET('/projects/{id}/repository/tree', {
              params: { path: id, query: { ref, path: folder, per_page: 100, page: pageParam } },
            }),
          ),
        initialPageParam: 1,
        getNextPageParam: (last) => last.nextPage,
      }),
    file: (ref: string, file: string) =>
      queryOptions({
        queryKey: ['project', path, 'file', ref, file],
        queryFn: () =>
          unwrap(
            client.GET('/projects/{id}/repository/files/{file_path}', {
              params: { path: { ...id, file_path: file }, query: { ref } },
            }),
          ),
      }),
    commits: (filter: { ref: string; folder?: string; page?: number; perPage?: number }) =>
      queryOptions({
        queryKey: ['project', path, 'commits', filter],
        queryFn: () =>
          unwrapPage(
            client.GET('/projects/{id}/repository/commits', {
              params: {
                path: id,
                query: {
                  ref_name: filter.ref,
                  page: filter.page ?? 1,
                  per_page: filter.perPage ?? perPage,
                  with_pipelines: true,
                  ...(filter.folder ? { path: filter.folder } : {}),
                },
              },
            }),
          ),
      }),
    commit: (sha: string) =>
      queryOptions({
        queryKey: ['project', path, 'commit', sha],
        queryFn: () =>
          unwrap(client.GET('/projects/{id}/repository/commits/{sha}', { params: { path: { ...id, sha } } })),
      }),
    commitDiff: (sha: string) =>
      queryOptions({
        queryKey: ['project', path, 'commit', sha, 'diff'],
        queryFn: () =>
          unwrapPage(
            client.GET('/projects/{id}/repository/commits/{sha}/diff', {
              params: { path: { ...id, sha }, query: { per_page: 100 } },
            }),
          ),
      }),
    /** What `to` has that `from` has not: since they parted, or as they are (`straight`); `from` may be of another project of the network of forks. */
    compare: (from: string, to: string, straight = false, fromProject?: number) =>
      queryOptions({
        queryKey: ['project', path, 'compare', from, to, { straight, fromProject }],
        queryFn: () => {
          const query = { from, to, straight, ...(fromProject === undefined ? {} : { from_project_id: fromProject }) };
          return unwrap(client.GET('/projects/{id}/repository/compare', { params: { path: id, query } }));
        },
      }),
    /** Title and description that a new merge request of a branch starts with. */
    defaultText: (source: string, target: string, targetProject?: number) =>
      queryOptions({
        queryKey: ['project', path, 'first-words', source, target, targetProject],
        queryFn: () => {
          const project = targetProject === undefined ? {} : { target_project_id: targetProject };
          const query = { source_branch: source, target_branch: target, ...project };
          return unwrap(client.GET('/projects/{id}/merge_requests/new', { params: { path: id, query } }));
        },
      }),
    pipelines: (filter: {
      page?: number | undefined;
      ref?: string | undefined;
      status?: string | undefined;
      sha?: string | undefined;
      source?: string | undefined;
      username?: string | undefined;
    }) =>
      queryOptions({
        queryKey: ['project', path, 'pipelines', filter],
        queryFn: () =>
          unwrapPage(
            client.GET('/projects/{id}/pipelines', {
              params: {
                path: id,
                query: {
                  page: filter.page ?? 1,
                  per_page: perPage,
                  with_details: true,
                  ...(filter.ref ? { ref: filter.ref } : {}),
                  ...(filter.sha ? { sha: filter.sha } : {}),
                  ...(filter.status ? { status: filter.status as 'running' } : {}),
                  ...(filter.source ? { source: filter.source } : {}),
                  ...(filter.username ? { username: filter.username } : {}),
                },
              },
            }),
          ),
      }),
    pipeline: (pipelineId: number) =>
      queryOptions({
        queryKey: ['project', path, 'pipeline', pipelineId],
        queryFn: () =>
          unwrap(
            client.GET('/projects/{id}/pipelines/{pipeline_id}', {
              params: { path: { ...id, pipeline_id: pipelineId } },
            }),
          ),
      }),
    pipelineJobs: (pipelineId: number) =>
      queryOptions({
        queryKey: ['project', path, 'pipeline', pipelineId, 'jobs'],
        queryFn: () =>
          unwrapAll(
            client.GET('/projects/{id}/pipelines/{pipeline_id}/jobs', {
              params: { path: { ...id, pipeline_id: pipelineId }, query: { per_page: 100 } },
            }),
          ),
      }),
    /** Jobs that start other pipelines, with these. */
    pipelineBridges: (pipelineId: number) =>
      queryOptions({
        queryKey: ['project', path, 'pipeline', pipelineId, 'bridges'],
        queryFn: () =>
          unwrapAll(
            client.GET('/projects/{id}/pipelines/{pipeline_id}/bridges', {
              params: { path: { ...id, pipeline_id: pipelineId }, query: { per_page: 100 } },
            }),
          ),
      }),
    pipelineNeeds: (pipelineId: number) =>
      queryOptions({
        queryKey: ['project', path, 'needs', pipelineId],
        queryFn: () =>
          unwrap(
            client.GET('/projects/{id}/pipelines/{pipeline_id}/needs', {
              params: { path: { ...id, pipeline_id: pipelineId } },
            }),
          ),
        staleTime: Number.POSITIVE_INFINITY,
      }),
    job: (jobId: number) =>
      queryOptions({
        queryKey: ['project', path, 'job', jobId],
        queryFn: () =>
          unwrap(client.GET('/projects/{id}/jobs/{job_id}', { params: { path: { ...id, job_id: jobId } } })),
        // Runners that come, go or take others first are no event of the job.
        refetchInterval: ({ state: { data } }) =>
          data?.status === 'pending' || data?.status === 'waiting_for_resource' ? 10_000 : false,
      }),
    mergeRequest: (iid: number) =>
      queryOptions({
        queryKey: ['project', path, 'merge-request', iid],
        queryFn: () =>
          unwrap(
            client.GET('/projects/{id}/merge_requests/{merge_request_iid}', {
              params: {
                path: { ...id, merge_request_iid: iid },
                query: { include_rebase_in_progress: true, render_html: true, with_counts: true },
              },
            }),
          ),
        // What runs in the background is told when it ends; this is for pages that hear of nothing.
        refetchInterval: ({ state }) => (state.data?.rebase_in_progress ? 2_000 : false),
      }),
    mergeRequestCommits: (iid: number) =>
      queryOptions({
        queryKey: ['project', path, 'merge-request', iid, 'commits'],
        queryFn: () =>
          unwrapAll(
            client.GET('/projects/{id}/merge_requests/{merge_request_iid}/commits', {
              params: { path: { ...id, merge_request_iid: iid }, query: { per_page: 100 } },
            }),
          ),
      }),
    /** With a version, only what changed since it. */
    mergeRequestDiffs: (iid: number, hideWhitespace = false, since: number | null = null) =>
      queryOptions({
        queryKey: ['project', path, 'merge-request', iid, 'diffs', hideWhitespace, since],
        queryFn: async () => {
          const files: Schemas['FileDiff'][] = [];
          for (let page: number | null = 1; page !== null; ) {
            const part: { items: Schemas['FileDiff'][]; nextPage: number | null } = await unwrapPage(
              client.GET('/projects/{id}/merge_requests/{merge_request_iid}/diffs', {
                params: {
                  path: { ...id, merge_request_iid: iid },
                  query: {
                    ...{ per_page: 100, page },
                    ...(hideWhitespace ? { ignore_whitespace: true } : {}),
                    ...(since === null ? {} : { since_version: since }),
                  },
                },
              }),
            );
            files.push(...part.items);
            page = part.nextPage;
          }
          return files;
        },
      }),
    mergeRequestPipelines: (iid: number) =>
      queryOptions({
        queryKey: ['project', path, 'merge-request', iid, 'pipelines'],
        queryFn: () =>
          unwrap(
            client.GET('/projects/{id}/merge_requests/{merge_request_iid}/pipelines', {
              params: { path: { ...id, merge_request_iid: iid } },
            }),
          ),
      }),
    members: () =>
      queryOptions({
        queryKey: ['project', path, 'members'],
        queryFn: () =>
          unwrapAll(client.GET('/projects/{id}/members/all', { params: { path: id, query: { per_page: 100 } } })),
      }),
    variables: () =>
      queryOptions({
        queryKey: ['project', path, 'variables'],
        queryFn: () =>
          unwrapAll(client.GET('/projects/{id}/variables', { params: { path: id, query: { per_page: 100 } } })),
      }),
  };
};
