/** What is measured: an instance that speaks the v4 API, with a project that holds the generated repository. */
import type { Repository } from './data.ts';
import { type Ask, send } from './load.ts';
import { git } from './process.ts';

export interface Target {
  readonly name: 'ours' | 'peer';
  readonly url: string;
  readonly token: string;
  /** Asks below `/api/v4` and insists on success. */
  call<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T>;
}

export interface Project {
  readonly id: number;
  /** Below `/api/v4`. */
  readonly api: string;
  /** With the token in it, for git. */
  readonly remote: string;
}

export function connect(name: 'ours' | 'peer', url: string, token: string): Target {
  const base = new URL(url);
  return {
    name,
    url,
    token,
    async call<T>(method: string, path: string, body?: unknown) {
      const answer = await send(base, token, { method, path: `/api/v4${path}`, body });
      const text = answer.body.toString();
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
      let json: unknown = text;
      try {
        json = JSON.parse(text);
      } catch {
        // Raw files and traces are no JSON.
      }
      return json as T;
    },
  };
}

let made = 0;

/** An empty project of the token's owner. */
export async function createProject(target: Target, name: string): Promise<Project> {
  const path = `${name}-${Date.now().toString(36)}-${made++}`;
  const { id, http_url_to_repo } = await target.call<{ id: number; http_url_to_repo: string }>('POST', '/projects', {
    name: path,
    path,
  });
  // Whatever the instance believes to be called: it is asked where it was found.
  const remote = new URL(new URL(http_url_to_repo).pathname, target.url);
  remote.username = 'oauth2';
  remote.password = target.token;
  return { id, api: `/projects/${id}`, remote: remote.href };
}

/** Jobs of a pipeline that has so many. */
export async function pipelineJobs<J extends { readonly status: string }>(
  { call }: Target,
  { api }: Project,
  { id }: { readonly id: number },
  count: number,
): Promise<J[]> {
  const pages = Array.from({ length: Math.ceil(count / 100) }, (_item, at) =>
    call<J[]>('GET', `${api}/pipelines/${id}/jobs?per_page=100&page=${at + 1}`),
  );
  return (await Promise.all(pages)).flat();
}

export const pushAll = (repository: Repository, remote: string) =>
  git(repository.path, ['push', '--quiet', remote, 'refs/heads/*:refs/heads/*']);

/** Requests to the project, one per item. */
export const asks = <T>(project: Project, items: readonly T[], path: (item: T) => string): Ask[] =>
  items.map((item) => ({ path: `/api/v4${project.api}${path(item)}` }));
