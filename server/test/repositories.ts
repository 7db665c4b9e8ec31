/** Projects with a repository on disk, made and filled through the API. */
import path from 'node:path';
import type { Level } from '../src/kernel/authz/levels.ts';
import type { Project, User } from '../src/kernel/db/rows.ts';
import type { Method, RequestParts, TestApp, TestResponse } from './app.ts';
import { type BuiltToken, buildMember, buildToken, unique } from './factories.ts';

export type Json = Record<string, unknown>;

export interface FileAction {
  readonly action: 'create' | 'delete' | 'move' | 'update' | 'chmod';
  readonly file_path: string;
  readonly [key: string]: unknown;
}

export interface RepositoryProject {
  readonly id: number;
  /** `user/project` */
  readonly fullPath: string;
  readonly owner: BuiltToken;
  /** Of the bare repository. */
  readonly directory: string;
  /** `http://name:secret@host/user/project.git`; without a token for anonymous callers. */
  remote(secret?: string, username?: string): string;
  /** A request below `/projects/:id`, as the owner unless another token is given; null for anonymous. */
  api<T = Json>(
    method: Method,
    target: string,
    parts?: Omit<RequestParts, 'token'> & { token?: string | null },
  ): Promise<TestResponse<T>>;
  /** Commits actions to a branch; answers the commit's id. */
  commit(
    branch: string,
    actions: readonly FileAction[] | Readonly<Record<string, string>>,
    more?: Json,
  ): Promise<string>;
  member(level: Level): Promise<BuiltToken>;
  row(): Promise<Project>;
}

export interface RepositoryProjectValues {
  readonly owner?: BuiltToken;
  readonly visibility?: 'private' | 'internal' | 'public';
  /** First files on `main`; null for an empty repository. */
  readonly files?: Readonly<Record<string, string>> | null;
  readonly settings?: Json;
}

type RepositoryApp = Pick<TestApp, 'api' | 'url' | 'db' | 'directory' | 'identity'>;

function expected<T>(answer: TestResponse<T>, status: number): T {
  if (answer.status !== status) throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** A project made through the API, private and with a README unless told. */
export async function buildRepositoryProject(
  app: RepositoryApp,
  values: RepositoryProjectValues = {},
): Promise<RepositoryProject> {
  const owner = values.owner ?? (await buildToken(app));
  const json = { name: unique('repo'), visibility: values.visibility ?? 'private', ...values.settings };
  const made = expected(await app.api<Json>('POST', '/projects', { token: owner.secret, json }), 201);
  const id = Number(made.id);
  const fullPath = String(made.path_with_namespace);
  const row = () => app.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const { repository_path: repositoryPath } = await row();

  const project: RepositoryProject = {
    id,
    fullPath,
    owner,
    directory: path.join(app.directory, 'repositories', repositoryPath),
    remote(secret, username = 'git') {
      const url = new URL(`${app.url}/${fullPath}.git`);
      if (secret !== undefined) [url.username, url.password] = [username, secret];
      return url.href;
    },
    api: (method, target, { token, ...parts } = {}) =>
      app.api(method, `/projects/${id}${target}`, {
        ...parts,
        ...(token === null ? {} : { token: token ?? owner.secret }),
      }),
    async commit(branch, files, more = {}) {
      const actions = Array.isArray(files)
        ? files
        : Object.entries(files).map(([name, content]) => ({ action: 'create', file_path: name, content }));
      const body = { branch, commit_message: `Change ${branch}`, actions, ...more };
      const answer = await project.api('POST', '/repository/commits', { json: body });
      return String(expected(answer, 201).id);
    },
    async member(level) {
      const { user }: { user: User } = await buildMember(app, { of: await row(), level });
      return buildToken(app, { user });
    },
    row,
  };
  const files = values.files === undefined ? { 'README.md': '# Hello\n' } : values.files;
  if (files) await project.commit('main', files, { commit_message: 'Initial commit' });
  return project;
}
