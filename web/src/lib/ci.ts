/** What the pages about the configuration of CI/CD and the list of jobs ask of the API. */
import { queryOptions } from '@tanstack/react-query';
import { ApiError, client, type Schemas, unwrap, unwrapPage } from './api.ts';

export interface JobFilter {
  readonly page?: number | undefined;
  readonly status?: string | undefined;
}

type JobStatus = Schemas['Job']['status'];

/** Whether what a job waits for changes without it. */
export const awaitsTurn = ({ status }: Pick<Schemas['Job'], 'status'>): boolean =>
  status === 'pending' || status === 'waiting_for_resource';

export const jobsOf = (path: string, filter: JobFilter) =>
  queryOptions({
    queryKey: ['project', path, 'jobs', filter],
    queryFn: () => {
      const scope = filter.status ? { scope: [filter.status as JobStatus] } : {};
      const query = { ...scope, page: filter.page ?? 1, per_page: 20, with_waiting: true };
      return unwrapPage(client.GET('/projects/{id}/jobs', { params: { path: { id: path }, query } }));
    },
    // Runners that come, go or take others first are no event of the jobs.
    refetchInterval: ({ state: { data } }) => (data?.items.some(awaitsTurn) ? 10_000 : false),
  });

const usualPaths = ['.gitlab-ci.yml', '.millrace-ci.yml'];

/** The configuration of a project on its default branch; null where it has none. */
export const configuration = (project: Schemas['Project']) =>
  queryOptions({
    queryKey: ['project', project.path_with_namespace, 'ci-configuration'],
    queryFn: async (): Promise<Schemas['RepositoryFile'] | null> => {
      const ref = project.default_branch;
      if (!ref || project.empty_repo) return null;
      for (const file of project.ci_config_path ? [project.ci_config_path] : usualPaths) {
        const params = { path: { id: project.path_with_namespace, file_path: file }, query: { ref } };
        try {
          return await unwrap(client.GET('/projects/{id}/repository/files/{file_path}', { params }));
        } catch (error) {
          if (!(error instanceof ApiError && error.status === 404)) throw error;
        }
      }
      return null;
    },
  });

interface LintRequest {
  readonly content: string;
  /** The branch or tag of a simulated pipeline; null checks the syntax only. */
  readonly simulated: string | null;
}

export const lint = (path: string, { content, simulated }: LintRequest): Promise<Schemas['LintResult']> =>
  unwrap(
    client.POST('/projects/{id}/ci/lint', {
      params: { path: { id: path } },
      body: { content, include_jobs: true, ...(simulated === null ? {} : { dry_run: true, ref: simulated }) },
    }),
  );

/** The newest pipeline of the default branch, or of one that is named. */
export const latestPipeline = (path: string, ref?: string): Promise<Schemas['Pipeline']> =>
  unwrap(
    client.GET('/projects/{id}/pipelines/latest', {
      params: { path: { id: path }, query: ref === undefined ? {} : { ref } },
    }),
  );
