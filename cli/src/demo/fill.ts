/** Fills an instance with the demo organisation, as its people would: everybody commits and merges with a token of their own. */
import type { ApiClient } from '@millrace/api-client';
import { connect, DemoError, exists, must } from './api.ts';
import type { Branch, Change, Files, Group, Level, Organisation, Project } from './organisation.ts';
import { fillPlan } from './planning.ts';

export interface DemoOptions {
  /** Of the instance, without a trailing slash. */
  readonly url: string;
  /** An administrator's token with the scope `api`. */
  readonly token: string;
  readonly print: (line: string) => void;
  /** How long to wait for the pipelines, in milliseconds. */
  readonly wait: number;
}

interface Actor {
  readonly id: number;
  readonly name: string;
  readonly tokenId: number;
  readonly api: ApiClient;
}

const levels: Readonly<Record<Level, number>> = { reporter: 20, developer: 30, maintainer: 40, owner: 50 };
const finished = new Set(['success', 'failed', 'canceled', 'skipped', 'manual']);
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Makes everything; throws DemoError, before anything was written when part of it is there already. */
export async function fill(organisation: Organisation, { url, token, print, wait }: DemoOptions): Promise<void> {
  const admin = connect(url, token);
  await refuseTwice(organisation, admin, url);

  const actors = new Map<string, Actor>();
  const actor = (username: string): Actor => {
    const found = actors.get(username);
    if (!found) throw new DemoError(`the demo has no person ${username}`);
    return found;
  };
  for (const { username, name } of organisation.people) {
    actors.set(username, await createPerson(admin, url, username, name));
    print(`user     ${username} (${name})`);
  }
  try {
    const groupIds = new Map<string, number>();
    for (const group of organisation.groups) {
      const path = group.parent === undefined ? group.path : `${group.parent}/${group.path}`;
      groupIds.set(path, await createGroup(admin, group, groupIds.get(group.parent ?? ''), actor));
      print(`group    ${path} (${Object.keys(group.members).length} members)`);
    }
    const created: { id: string; path: string }[] = [];
    for (const project of organisation.projects) {
      const id = await createProject(admin, project, groupIds.get(project.group) ?? 0, actor);
      const path = `${project.group}/${project.path}`;
      print(`project  ${path} (${project.history.length} commits, ${project.branches.length} branches)`);
      for (const branch of project.branches) {
        const state = await proposeBranch(id, branch, project, actor);
        if (state) print(`  !${state.iid}  ${state.title} (${state.state})`);
      }
      created.push({ id, path });
    }
    const project = (path: string): string => {
      const found = created.find((each) => each.path === path);
      if (!found) throw new DemoError(`the demo has no project ${path}`);
      return found.id;
    };
    await fillPlan(organisation.plan, { actor, project, print });
    await watchPipelines(admin, created, print, wait);
  } finally {
    // Their tokens were for this only.
    for (const { tokenId } of actors.values())
      await admin.DELETE('/personal_access_tokens/{id}', { params: { path: { id: tokenId } } });
  }
  print(`done: ${url}/${organisation.groups[0]?.path ?? ''}`);
  print('To sign in as one of these people, set a password: millrace user password NAME');
}

async function refuseTwice(organisation: Organisation, admin: ApiClient, url: string): Promise<void> {
  const me = await must('the token', admin.GET('/user'));
  if (!('is_admin' in me) || me.is_admin !== true)
    throw new DemoError(`the token belongs to ${me.username}, but making users needs an administrator`);
  for (const { path, parent } of organisation.groups) {
    if (parent !== undefined) continue;
    if (await exists(`group ${path}`, admin.GET('/groups/{id}', { params: { path: { id: path } } })))
      throw new DemoError(`there is a group ${path} already (${url}/${path}): nothing was changed`);
  }
  for (const { username } of organisation.people) {
    const found = await must('the list of users', admin.GET('/users', { params: { query: { username } } }));
    if (found.length > 0) throw new DemoError(`there is a user ${username} already: nothing was changed`);
  }
}

async function createPerson(admin: ApiClient, url: string, username: string, name: string): Promise<Actor> {
  const email = `${username}@brightwater.example`;
  const user = await must(
    `user ${username}`,
    admin.POST('/users', { body: { username, name, email, force_random_password: true, skip_confirmation: true } }),
  );
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const token = await must(
    `a token of ${username}`,
    admin.POST('/users/{user_id}/personal_access_tokens', {
      params: { path: { user_id: user.id } },
      body: { name: 'demo', scopes: ['api'], expires_at: tomorrow },
    }),
  );
  return { id: user.id, name, tokenId: token.id, api: connect(url, token.token) };
}

async function createGroup(
  admin: ApiClient,
  { name, path, description, members }: Group,
  parent: number | undefined,
  actor: (username: string) => Actor,
): Promise<number> {
  const visibility = 'public';
  const group = await must(
    `group ${path}`,
    admin.POST('/groups', {
      body: { name, path, description, visibility, ...(parent === undefined ? {} : { parent_id: parent }) },
    }),
  );
  for (const [username, level] of Object.entries(members)) {
    const body = { user_id: actor(username).id, access_level: levels[level] };
    await must(
      `${username} as a member of ${path}`,
      admin.POST('/groups/{id}/members', { params: { path: { id: String(group.id) } }, body }),
    );
  }
  return group.id;
}

/** The project with its members, the history of its default branch, tags, branches, and what came later. */
async function createProject(
  admin: ApiClient,
  project: Project,
  namespaceId: number,
  actor: (username: string) => Actor,
): Promise<string> {
  const { name, path, description, visibility } = project;
  const body = { name, path, description, visibility, namespace_id: namespaceId, default_branch: 'main' };
  const { id: number } = await must(`project ${path}`, admin.POST('/projects', { body }));
  const id = String(number);
  for (const [username, level] of Object.entries(project.members ?? {})) {
    const member = { user_id: actor(username).id, access_level: levels[level] };
    await must(
      `${username} as a member of ${path}`,
      admin.POST('/projects/{id}/members', { params: { path: { id } }, body: member }),
    );
  }
  const known = new Set<string>();
  // The default branch takes pushes of maintainers only: the administrator brings in what others wrote.
  for (const change of project.history) await commit(admin, id, 'main', change, known, {}, actor(change.author).name);
  for (const { name: tag_name, message } of project.tags ?? [])
    await must(
      `tag ${tag_name}`,
      admin.POST('/projects/{id}/repository/tags', {
        params: { path: { id } },
        body: { tag_name, ref: 'main', message },
      }),
    );
  for (const branch of project.branches) {
    const there = new Set(known);
    for (const [index, change] of branch.changes.entries())
      await commit(actor(change.author).api, id, branch.name, change, there, index ? {} : { start_branch: 'main' });
  }
  for (const change of project.later ?? [])
    await commit(admin, id, 'main', change, known, {}, actor(change.author).name);
  return id;
}

function actionsOf(files: Files, known: Set<string>) {
  return Object.entries(files).map(([file_path, content]) => {
    if (content === null) {
      known.delete(file_path);
      return { action: 'delete' as const, file_path };
    }
    const action = known.has(file_path) ? ('update' as const) : ('create' as const);
    known.add(file_path);
    return { action, file_path, content };
  });
}

async function commit(
  api: ApiClient,
  id: string,
  branch: string,
  { author, message, files }: Change,
  known: Set<string>,
  start: { readonly start_branch?: string },
  onBehalf?: string,
): Promise<void> {
  const by = onBehalf ? { author_name: onBehalf, author_email: `${author}@brightwater.example` } : {};
  const body = { branch, commit_message: message, actions: actionsOf(files, known), ...start, ...by };
  const params = { path: { id } };
  await must(`commit "${message}"`, api.POST('/projects/{id}/repository/commits', { params, body }));
}

/** Opens the branch's merge request and brings it where it belongs; null for a branch without one. */
async function proposeBranch(
  id: string,
  branch: Branch,
  project: Project,
  actor: (username: string) => Actor,
): Promise<{ iid: number; title: string; state: string } | null> {
  const wanted = branch.mergeRequest;
  const author = branch.changes[0]?.author;
  if (!wanted || author === undefined) return null;
  const { api, id: authorId } = actor(author);
  const request = await must(
    `merge request "${wanted.title}"`,
    api.POST('/projects/{id}/merge_requests', {
      params: { path: { id } },
      body: {
        source_branch: branch.name,
        target_branch: 'main',
        title: wanted.becomes === 'draft' ? `Draft: ${wanted.title}` : wanted.title,
        description: wanted.description,
        assignee_ids: [authorId],
        reviewer_ids: (wanted.reviewers ?? []).map((username) => actor(username).id),
        remove_source_branch: true,
      },
    }),
  );
  const path = { id, merge_request_iid: request.iid };
  const shown = { iid: request.iid, title: request.title };
  if (wanted.becomes === 'closed') {
    const body = { state_event: 'close' as const };
    await must(
      `closing !${request.iid}`,
      api.PUT('/projects/{id}/merge_requests/{merge_request_iid}', { params: { path }, body }),
    );
    return { ...shown, state: 'closed' };
  }
  if (wanted.becomes !== 'merged') return { ...shown, state: wanted.becomes };
  const keeper = actor(project.group === 'brightwater-handbook' ? 'elif' : 'mara').api;
  await must(
    `merging !${request.iid}`,
    keeper.PUT('/projects/{id}/merge_requests/{merge_request_iid}/merge', { params: { path }, body: {} }),
  );
  return { ...shown, state: 'merged' };
}

/** Waits for pipelines to end, as long as it is allowed to; they go on without this. */
async function watchPipelines(
  admin: ApiClient,
  projects: readonly { readonly id: string; readonly path: string }[],
  print: (line: string) => void,
  wait: number,
): Promise<void> {
  const deadline = Date.now() + wait;
  for (;;) {
    const counts = new Map<string, number>();
    for (const { id, path } of projects) {
      const query = { per_page: 100 };
      const list = await must(
        `the pipelines of ${path}`,
        admin.GET('/projects/{id}/pipelines', { params: { path: { id }, query } }),
      );
      for (const { status } of list) counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    const running = [...counts].some(([status]) => !finished.has(status));
    if (!running || Date.now() > deadline) {
      const shown = [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
      print(`pipelines  ${shown || 'none'}${running ? ' (they go on)' : ''}`);
      return;
    }
    await pause(500);
  }
}
