/** What is measured: an instance that speaks the v4 API, with a project that holds the generated repository. */
import type { Repository } from './data.ts';
import { type Dialect, gitea, plain } from './gitea.ts';
import { type Ask, send } from './load.ts';
import { git } from './process.ts';

export interface Target {
  readonly name: 'ours' | 'peer';
  readonly url: string;
  readonly token: string;
  /** A request of the v4 API as this instance understands it. */
  wire(ask: Ask): Ask;
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

/** Long enough for whatever a peer does in its background. */
const busyMilliseconds = 10_000;

export function connect(
  name: 'ours' | 'peer',
  url: string,
  token: string,
  { wire, heard, busy }: Dialect = plain,
): Target {
  const base = new URL(url);
  const patient = async (ask: Ask) => {
    const begin = performance.now();
    for (;;) {
      const answer = await send(base, token, wire(ask));
      const text = answer.body.toString();
      if (!busy(answer.status, text) || performance.now() - begin > busyMilliseconds) return { ...answer, text };
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return {
    name,
    url,
    token,
    wire,
    async call<T>(method: string, path: string, body?: unknown) {
      const ask = { method, path: `/api/v4${path}`, body };
      const { status, text } = await patient(ask);
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`);
      let json: unknown = text;
      try {
        json = heard(ask, JSON.parse(text));
      } catch {
        // Raw files and traces are no JSON.
      }
      return json as T;
    },
  };
}

/** The peer at the address, whether it speaks the v4 API or is a Gitea. */
export async function connectPeer(url: string, token: string): Promise<Target> {
  const { status, body } = await send(new URL(url), '', {
    path: '/api/v1/user',
    headers: { Authorization: `token ${token}` },
  });
  if (status !== 200) return connect('peer', url, token);
  const { login } = JSON.parse(body.toString()) as { login: string };
  return connect('peer', url, token, gitea(token, login));
}

let made = 0;

/** An empty project of the token's owner. */
export async function createProject(target: Target, name: string): Promise<Project> {
  const path = `${name}-${Date.now().toString(36)}-${made++}`;
  const {
    id,
    http_url_to_repo,
    api = `/projects/${id}`,
  } = await target.call<{ id: number; http_url_to_repo: string; api?: string }>('POST', '/projects', {
    name: path,
    path,
  });
  // Whatever the instance believes to be called: it is asked where it was found.
  const remote = new URL(new URL(http_url_to_repo).pathname, target.url);
  remote.username = 'oauth2';
  remote.password = target.token;
  return { id, api, remote: remote.href };
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

/** Pushes the branches whose names begin so: all of them without a word. */
export const pushAll = ({ path }: Pick<Repository, 'path'>, remote: string, beginning = '') =>
  git(path, ['push', '--quiet', remote, `refs/heads/${beginning}*:refs/heads/${beginning}*`]);

/** Requests to the project, one per item. */
export const asks = <T>(project: Project, items: readonly T[], path: (item: T) => string): Ask[] =>
  items.map((item) => ({ path: `/api/v4${project.api}${path(item)}` }));
