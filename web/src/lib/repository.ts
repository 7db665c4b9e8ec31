/** What pages ask of a project's repository beside its files and history. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { ApiError, client, type Schemas, unwrap, unwrapAll, unwrapPage } from './api.ts';
import { isMarkdown } from './markdown/files.ts';

const all = { per_page: 100 };

export const securitySettings = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'security-settings'],
    queryFn: () => unwrap(client.GET('/projects/{id}/security_settings', { params: { path: { id } } })),
  });

export type CommitStatus = Schemas['CommitStatus'];

/** What jobs and other CI systems said of a commit last; of one pipeline where one is named. */
export const commitStatuses = (id: string, sha: string, pipelineId?: number) =>
  queryOptions({
    queryKey: ['project', id, 'commit', sha, 'statuses', pipelineId ?? null],
    queryFn: () =>
      unwrapAll(
        client.GET('/projects/{id}/repository/commits/{sha}/statuses', {
          params: { path: { id, sha }, query: { ...all, ...(pipelineId ? { pipeline_id: pipelineId } : {}) } },
        }),
      ),
  });

/** No branch may be called like the id of a commit. */
const commitId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** A branch; null where none has the name. */
export const branchNamed = (id: string, branch: string) =>
  queryOptions({
    queryKey: ['project', id, 'branches', 'named', branch],
    queryFn: async () => {
      if (commitId.test(branch)) return null;
      try {
        const path = { id, branch };
        return await unwrap(client.GET('/projects/{id}/repository/branches/{branch}', { params: { path } }));
      } catch (failure) {
        if (failure instanceof ApiError && failure.status === 404) return null;
        throw failure;
      }
    },
  });

/**
 * Branches with their distance from the default one, pipeline and merge request: those changed last first, and before
 * them the default one, wherever it stands among the others.
 */
export const branchList = (id: string, defaultBranch: string | null | undefined, search?: string) =>
  infiniteQueryOptions({
    queryKey: ['project', id, 'branches', 'list', search ?? ''],
    queryFn: async ({ pageParam: page }) => {
      const read = (query: { page?: number; per_page: number; search?: string }) =>
        unwrapPage(
          client.GET('/projects/{id}/repository/branches', {
            params: { path: { id }, query: { sort: 'updated_desc', with_status: true, ...query } },
          }),
        );
      const found = await read({ page, per_page: 50, ...(search ? { search } : {}) });
      const others = search ? found.items : found.items.filter((branch) => !branch.default);
      if (search || page !== 1 || !defaultBranch) return { ...found, items: others };
      const first = found.items.find((branch) => branch.default);
      const own = first ? [first] : (await read({ per_page: 1, search: `^${defaultBranch}$` })).items;
      return { ...found, items: [...own, ...others] };
    },
    initialPageParam: 1,
    getNextPageParam: ({ nextPage }) => nextPage,
  });

/** How many commits a ref has, and how many branches and tags there are. */
export const repositoryCounts = (id: string, ref: string) =>
  queryOptions({
    queryKey: ['project', id, 'counts', ref],
    queryFn: () => unwrap(client.GET('/projects/{id}/repository/counts', { params: { path: { id }, query: { ref } } })),
  });

export const languages = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'languages'],
    queryFn: () => unwrap(client.GET('/projects/{id}/languages', { params: { path: { id } } })),
  });

/** A branch that the caller pushed in the last two hours and that has no open merge request; null for none. */
export const recentPush = (project: Schemas['Project']) =>
  queryOptions({
    queryKey: ['project', project.path_with_namespace, 'branches', 'recent-push'],
    queryFn: async () => {
      const since = Date.now() - 2 * 3_600_000;
      const after = new Date(since - 86_400_000).toISOString().slice(0, 10);
      const events = await unwrap(
        client.GET('/events', { params: { query: { action: 'pushed', after, per_page: 20 } } }),
      );
      const pushed = events.find(
        (event) =>
          event.project_id === project.id &&
          event.push_data?.ref_type === 'branch' &&
          event.push_data.action !== 'removed' &&
          event.push_data.ref !== null &&
          event.push_data.ref !== project.default_branch &&
          new Date(event.created_at).getTime() > since,
      );
      const name = pushed?.push_data?.ref;
      if (!pushed || !name) return null;
      const query = { search: `^${name}$`, with_status: true };
      const params = { path: { id: project.path_with_namespace }, query };
      const [branch] = await unwrap(client.GET('/projects/{id}/repository/branches', { params }));
      const open = branch?.status && branch.status.merge_request === null && branch.status.ahead > 0;
      return open ? { branch: name, at: pushed.created_at } : null;
    },
    staleTime: 60_000,
  });

type File = Schemas['RepositoryFile'];
/** A file with what it contains; null where it is too large to be sent whole. */
export type FileInView = Omit<File, 'content'> & { readonly content: string | null };

/** What the server tells of a file that it does not send whole. */
async function factsOf(id: string, ref: string, path: string): Promise<FileInView> {
  const address = `/api/v4/projects/${encodeURIComponent(id)}/repository/files/${encodeURIComponent(path)}?ref=${encodeURIComponent(ref)}`;
  const { headers } = await fetch(address, { method: 'HEAD' });
  const fact = (name: string) => headers.get(`X-Gitlab-${name}`) ?? '';
  return {
    file_name: path.split('/').at(-1) ?? path,
    file_path: path,
    size: Number(fact('Size')),
    encoding: 'base64',
    content: null,
    content_sha256: fact('Content-Sha256'),
    ref,
    blob_id: fact('Blob-Id'),
    commit_id: fact('Commit-Id'),
    last_commit_id: fact('Last-Commit-Id'),
    execute_filemode: fact('Execute-Filemode') === 'true',
  };
}

export const fileInView = (id: string, ref: string, path: string) =>
  queryOptions({
    queryKey: ['project', id, 'file', ref, path, 'in-view'],
    queryFn: async (): Promise<FileInView> => {
      try {
        const query = { ref, ...(isMarkdown(path) ? { render_html: true } : {}) };
        const params = { path: { id, file_path: path }, query };
        return await unwrap(client.GET('/projects/{id}/repository/files/{file_path}', { params }));
      } catch (failure) {
        if (failure instanceof ApiError && failure.status === 413) return await factsOf(id, ref, path);
        throw failure;
      }
    },
  });

/** Who changed which lines last. */
export const blameOf = (id: string, ref: string, file: string) =>
  queryOptions({
    queryKey: ['project', id, 'blame', ref, file],
    queryFn: () =>
      unwrap(
        client.GET('/projects/{id}/repository/files/{file_path}/blame', {
          params: { path: { id, file_path: file }, query: { ref } },
        }),
      ),
  });

/** Paths of all files of a ref. */
export const allPaths = (id: string, ref: string) =>
  queryOptions({
    queryKey: ['project', id, 'paths', ref],
    queryFn: async () => {
      const query = { ref, recursive: true, pagination: 'none' as const };
      const entries = await unwrap(client.GET('/projects/{id}/repository/tree', { params: { path: { id }, query } }));
      return entries.filter((entry) => entry.type === 'blob').map((entry) => entry.path);
    },
    staleTime: 60_000,
  });

/** The last commits of the entries on a page of a folder's tree. */
export const lastCommits = (id: string, ref: string, folder: string, page: number) =>
  queryOptions({
    queryKey: ['project', id, 'last-commits', ref, folder, page],
    queryFn: () =>
      unwrapAll(
        client.GET('/projects/{id}/repository/tree/last_commits', {
          params: { path: { id }, query: { ...all, ref, path: folder, page } },
        }),
      ),
  });
