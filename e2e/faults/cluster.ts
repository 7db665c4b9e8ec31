/** One server process, or two that share a database, repositories, objects and secrets. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, api } from '../src/support/api.ts';
import { type Instance, rootToken, startInstance } from '../src/support/instance.ts';

export interface Member {
  readonly index: number;
  /** False from the moment at which it is to be killed until it is ready again. */
  up: boolean;
  instance: Instance;
  api: Api;
  /** SIGKILL to the server process alone, as a crash does. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

export interface Cluster {
  readonly members: readonly Member[];
  /** Where the repositories are. */
  readonly repositories: string;
  stop(): Promise<void>;
}

export async function startCluster(
  directory: string,
  count: 1 | 2,
  options: { readonly repositories?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Cluster> {
  const repositories = options.repositories ?? join(directory, 'repositories');
  const shared = {
    MILLRACE_RUNNER: 'off',
    MILLRACE_REPOSITORIES: `default=${repositories}`,
    MILLRACE_OBJECTS: `file:${join(directory, 'objects')}`,
    MILLRACE_SECRETS: join(directory, 'secrets.key'),
    ...options.env,
  };
  const members: Member[] = [];
  for (let index = 0; index < count; index++) {
    const data = join(directory, `process-${index}`);
    mkdirSync(data, { recursive: true, mode: 0o711 });
    const start = async () => {
      const first = members[0]?.instance.data;
      // The first process brings the database, which outlives it and is adopted when it comes back.
      const env = index > 0 && first ? { ...shared, DATABASE_URL: databaseOf(first) } : shared;
      return await startInstance({ data, env });
    };
    const instance = await start();
    const member: Member = {
      index,
      up: true,
      instance,
      api: api(instance.url, rootToken),
      async kill() {
        member.up = false;
        await member.instance.kill();
      },
      async restart() {
        member.instance = await start();
        member.api = api(member.instance.url, rootToken);
        member.up = true;
      },
    };
    members.push(member);
  }
  return {
    members,
    repositories,
    // The one with the database last.
    stop: async () => {
      for (const member of [...members].reverse()) if (member.up) await member.instance.stop();
    },
  };
}

/** How another process reaches the embedded database of an instance. */
function databaseOf(data: string): string {
  const postgres = join(data, 'millrace/postgres');
  const password = readFileSync(join(postgres, 'password'), 'utf8').trim();
  const [, , , port = '', socket = ''] = readFileSync(join(postgres, 'data/postmaster.pid'), 'utf8').split('\n');
  return `postgres://millrace:${password}@/millrace?host=${encodeURIComponent(socket)}&port=${port}`;
}

export interface Project {
  readonly id: number;
  /** Below `/api/v4`. */
  readonly path: string;
  /** With the token in it, for git, by way of a member. */
  remote(member: Member): string;
}

let made = 0;

/** An empty project of the administrator. */
export async function createProject(member: Member, name: string): Promise<Project> {
  const path = `${name}-${Date.now().toString(36)}-${made++}`;
  const body = { name: path, path };
  const { id, path_with_namespace: full } = await member.api.expect<{ id: number; path_with_namespace: string }>(
    201,
    'POST',
    '/projects',
    body,
  );
  return {
    id,
    path: `/projects/${id}`,
    remote: ({ instance }) => {
      const remote = new URL(`/${full}.git`, instance.url);
      remote.username = 'oauth2';
      remote.password = rootToken;
      return remote.href;
    },
  };
}

export const createFile = (path: string, content = `${path}\n`) => ({ action: 'create', file_path: path, content });

/** Commits through the API; throws what was answered when it was no success. */
export async function commit(
  member: Member,
  project: Project,
  branch: string,
  actions: readonly object[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const body = { branch, commit_message: `Change ${branch}`, actions, ...more };
  const made = await member.api.expect<{ id: string }>(201, 'POST', `${project.path}/repository/commits`, body);
  return made.id;
}
