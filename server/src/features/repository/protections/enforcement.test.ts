/** Protection in force: over HTTP with the real git, by API commits and merges, for every form of who may. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildToken,
  unique,
} from '../../../../test/factories.ts';
import { type GitClient, type GitResult, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { keyPair, type SshKeyPair, sshCommand } from '../../../../test/ssh.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';

let app: TestApp;
let git: GitClient;
let sshPort: number;
let owner: BuiltToken;
let admin: BuiltToken;
let top: Namespace;
let project: RepositoryProject;
let maintainer: BuiltToken;
let developer: BuiltToken;
let named: BuiltToken;
/** Developers of the project; one is in the invited group, the other in the group above it. */
let inGroup: BuiltToken;
let above: BuiltToken;
let invited: Namespace;
let writer: SshKeyPair & { id: number };
let other: SshKeyPair & { id: number };
beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
  sshPort = await app.ssh.listen({ host: '127.0.0.1', port: 0 });
  owner = await buildToken(app);
  admin = await buildToken(app, { user: await buildAdmin(app) });
  top = await buildGroup(app, { owner: owner.user });
  project = await buildRepositoryProject(app, { owner, settings: { namespace_id: top.id } });
  [maintainer, developer, named] = [await project.member(40), await project.member(30), await project.member(30)];
  const parent = await buildGroup(app);
  invited = await buildGroup(app, { parent });
  await app.db.insertInto('grants').values({ group_id: invited.id, project_id: project.id, level: 30 }).execute();
  const member = async (of: Namespace) => buildToken(app, { user: (await buildMember(app, { of })).user });
  [inGroup, above] = [await member(invited), await member(parent)];
  const key = async (title: string) => {
    const pair = keyPair();
    const json = { title, key: pair.public, can_push: true };
    return { ...pair, id: Number((await project.api('POST', '/deploy_keys', { json })).body.id) };
  };
  [writer, other] = [await key('writer'), await key('other')];
  await git.run(['clone', '-q', project.remote(owner.secret), 'clone']);
});
afterAll(async () => {
  await git.close();
  await app.close();
});

const at = (name: string) => encodeURIComponent(name);
const protect = async (json: Json, of: RepositoryProject = project) => {
  const made = await of.api('POST', '/protected_branches', { json });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
};
const protectTag = (json: Json) => project.api('POST', '/protected_tags', { json });

type Pusher = BuiltToken | SshKeyPair;
async function push(who: Pusher, refs: string[], where = 'clone', to: RepositoryProject = project) {
  if ('secret' in who) return git.try(['push', to.remote(who.secret), ...refs], where);
  const env = await sshCommand(git, who);
  return git.try(['push', `ssh://git@127.0.0.1:${sshPort}/${to.fullPath}.git`, ...refs], where, env);
}
const outcome = ({ code, stderr }: GitResult): string =>
  code === 0 ? 'pushed' : (/Millrace: (.+)/.exec(stderr)?.[1]?.trim() ?? stderr);
/** A commit on top of what the clone has, pushed to a branch. */
async function pushCommit(who: Pusher, branch: string): Promise<string> {
  await git.run(['fetch', '-q', 'origin'], 'clone');
  const start = await git.try(['rev-parse', '-q', '--verify', `origin/${branch}`], 'clone');
  await git.run(['checkout', '-q', '--detach', start.code === 0 ? `origin/${branch}` : 'origin/main'], 'clone');
  await git.run(['commit', '-q', '--allow-empty', '-m', unique('change')], 'clone');
  return outcome(await push(who, [`HEAD:refs/heads/${branch}`]));
}
async function commit(who: BuiltToken, branch: string): Promise<string> {
  const actions = [{ action: 'create', file_path: unique('file'), content: '' }];
  const json = { branch, commit_message: 'x', actions };
  const answer = await project.api('POST', '/repository/commits', { token: who.secret, json });
  return answer.status === 201 ? 'committed' : String(answer.body.message).replace('403 Forbidden - ', '');
}
async function merge(who: BuiltToken, branch: string): Promise<number> {
  const source = unique('source');
  await project.commit(source, { [unique('f')]: '' }, { start_branch: branch });
  const json = { source_branch: source, target_branch: branch, title: 'x' };
  const made = await project.api('POST', '/merge_requests', { json });
  return (await project.api('PUT', `/merge_requests/${made.body.iid}/merge`, { token: who.secret })).status;
}
const noPush = 'You are not allowed to push code to protected branches on this project.';
const noCommit = 'You are not allowed to push into this branch';
const noForce = 'You are not allowed to force push code to a protected branch on this project.';
const noDelete =
  'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.';

describe('who may push and merge', () => {
  const forms = [
    ['no one', () => ({ access_level: 0 }), () => [admin, owner, maintainer, named, writer]],
    ['administrators', () => ({ access_level: 60 }), () => [owner, maintainer, named, writer]],
    ['maintainers', () => ({ access_level: 40 }), () => [developer, writer]],
    ['developers', () => ({ access_level: 30 }), () => [writer]],
    ['a user', () => ({ user_id: named.user.id }), () => [admin, owner, developer, writer]],
    ['a group', () => ({ group_id: invited.id }), () => [owner, developer, writer]],
    ['a deploy key', () => ({ deploy_key_id: writer.id }), () => [owner, maintainer, other]],
  ] as const;
  const allowed: Readonly<Record<string, () => Pusher[]>> = {
    administrators: () => [admin],
    maintainers: () => [admin, owner, maintainer],
    developers: () => [maintainer, developer],
    'a user': () => [named],
    'a group': () => [inGroup, above],
    'a deploy key': () => [writer],
  };

  it.each(forms)('%s: a push over git, a commit of the API, a merge', async (form, grant, refused) => {
    const branch = unique(`form/${form.replaceAll(' ', '-')}`);
    await project.api('POST', '/repository/branches', { json: { branch, ref: 'main' } });
    const key = form === 'a deploy key';
    await protect({
      ...{ name: `${branch}*`, allowed_to_push: [grant()] },
      ...(key ? { merge_access_level: 0 } : { allowed_to_merge: [grant()] }),
    });
    // The right is asked for in one place: a few of them come all three ways.
    for (const [at, who] of refused().entries()) {
      const api = 'secret' in who;
      if (at === 0 || !api) expect(await pushCommit(who, branch)).toBe(noPush);
      if (api) expect(await commit(who, branch)).toBe(noCommit);
      if (at === 0 && api) expect(await merge(who, branch)).toBe(401);
    }
    for (const [at, who] of (allowed[form]?.() ?? []).entries()) {
      const api = 'secret' in who;
      if (at === 0) expect(await pushCommit(who, branch)).toBe('pushed');
      if (api) expect(await commit(who, branch)).toBe('committed');
      if (at === 0 && api) expect(await merge(who, branch)).toBe(200);
    }
  });

  it('merging alone is not pushing, and several rules that cover a branch add up', async () => {
    const branch = 'merged-only';
    await project.api('POST', '/repository/branches', { json: { branch, ref: 'main' } });
    await protect({ name: 'merged-*', push_access_level: 0, merge_access_level: 30 });
    expect([await commit(developer, branch), await merge(developer, branch)]).toEqual([noCommit, 200]);
    await protect({ name: '*-only', allowed_to_push: [{ user_id: named.user.id }], merge_access_level: 0 });
    expect([await commit(named, branch), await commit(developer, branch)]).toEqual(['committed', noCommit]);
    expect(await merge(developer, branch)).toBe(200);
  });

  it('security 18: a user, a group or a key that is no longer in the project has nothing left', async () => {
    const branch = 'leaving';
    await project.api('POST', '/repository/branches', { json: { branch, ref: 'main' } });
    const person = await project.member(30);
    const robot = keyPair();
    const json = { title: 'robot', key: robot.public, can_push: true };
    const maker = await project.member(40);
    const made = await project.api('POST', '/deploy_keys', { json, token: maker.secret });
    const allowed_to_push = [{ user_id: person.user.id }, { group_id: invited.id }, { deploy_key_id: made.body.id }];
    await protect({ name: branch, allowed_to_push });
    expect(await commit(person, branch)).toBe('committed');
    expect(await pushCommit(robot, branch)).toBe('pushed');
    // Lowered to a role that pushes nowhere; then out.
    await project.api('PUT', `/members/${person.user.id}`, { json: { access_level: 20 } });
    expect(await commit(person, branch)).toContain('403 Forbidden');
    await project.api('PUT', `/members/${maker.user.id}`, { json: { access_level: 20 } });
    expect(await pushCommit(robot, branch)).toBe(noPush);
    await project.api('PUT', `/members/${maker.user.id}`, { json: { access_level: 30 } });
    expect(await pushCommit(robot, branch)).toBe('pushed');
    await project.api('PUT', `/deploy_keys/${made.body.id}`, { json: { can_push: false } });
    expect(await pushCommit(robot, branch)).toContain('This deploy key does not have write access to this project.');
    // Members of the group stay developers, but the group has left the project.
    await buildMember(app, { user: inGroup.user, of: await project.row(), level: 30 });
    expect(await commit(inGroup, branch)).toBe('committed');
    await project.api('DELETE', `/share/${invited.id}`);
    expect(await commit(inGroup, branch)).toBe(noCommit);
    await app.db.insertInto('grants').values({ group_id: invited.id, project_id: project.id, level: 30 }).execute();
    expect(await commit(inGroup, branch)).toBe('committed');
  });

  it('where code owners are required, whoever may not push is told the file and whom to ask', async () => {
    const branch = 'owned';
    const owners = { 'docs/CODEOWNERS': '*.md @writers security@example.com\n^[Ops]\n/deploy/ @ops\n' };
    await project.commit(branch, owners, { start_branch: 'main' });
    await protect({ name: branch, code_owner_approval_required: true, merge_access_level: 30 });
    const file = async (who: BuiltToken, file_path: string) => {
      const actions = [{ action: 'create', file_path, content: '' }];
      const json = { branch, commit_message: 'x', actions };
      return (await project.api('POST', '/repository/commits', { token: who.secret, json })).body.message;
    };
    const asking = (path: string, whom: string) =>
      `${noPush} Open a merge request: ${path} is owned by ${whom}, whose approval the branch requires.`;
    expect(await file(developer, 'a/b.md')).toBe(
      `403 Forbidden - ${asking('a/b.md', '@writers, security@example.com')}`,
    );
    expect(await file(developer, 'deploy/x')).toBe(`403 Forbidden - ${asking('deploy/x', '@ops')}`);
    expect(await file(developer, 'a/b.ts')).toBe(`403 Forbidden - ${noCommit}`);
    // A push that renames the owners away is judged by those that the branch has.
    await git.run(['fetch', '-q', 'origin'], 'clone');
    await git.run(['checkout', '-q', '--detach', 'origin/owned'], 'clone');
    await git.run(['rm', '-q', 'docs/CODEOWNERS'], 'clone');
    await git.commit('clone', 'new.md', 'x');
    expect(outcome(await push(developer, ['HEAD:refs/heads/owned']))).toBe(
      asking('new.md', '@writers, security@example.com'),
    );
    // Whoever is allowed to push needs no owner, as everywhere in the ecosystem.
    expect(outcome(await push(maintainer, ['HEAD:refs/heads/owned']))).toBe('pushed');
  });

  it('rules of the top-level group are in force at once, force pushes by its word alone', async () => {
    const path = `/groups/${top.id}/protected_branches`;
    const branch = 'group-wide';
    await project.api('POST', '/repository/branches', { json: { branch, ref: 'main' } });
    expect(await commit(developer, branch)).toBe('committed');
    const ask = (method: 'POST' | 'PATCH' | 'DELETE', target: string, json: Json = {}) =>
      app.api<Json>(method, target, { token: owner.secret, ...(method === 'DELETE' ? {} : { json }) });
    expect((await ask('POST', path, { name: 'group-*' })).status).toBe(201);
    expect(await commit(developer, branch)).toBe(noCommit);
    expect((await project.api('GET', `/repository/branches/${branch}`)).body).toMatchObject({ protected: true });
    await protect({ name: branch, allow_force_push: true });
    const force = async () => {
      await git.run(['fetch', '-q', 'origin'], 'clone');
      await git.run(['checkout', '-q', '--orphan', unique('orphan'), 'origin/main'], 'clone');
      await git.run(['commit', '-q', '--allow-empty', '-m', 'rewritten'], 'clone');
      return push(owner, [`+HEAD:refs/heads/${branch}`]);
    };
    expect((await force()).stderr).toContain(noForce);
    await ask('PATCH', `${path}/${at('group-*')}`, { allow_force_push: true });
    expect((await force()).code).toBe(0);
    await ask('DELETE', `${path}/${at('group-*')}`);
  });
});

describe('force, creation and deletion', () => {
  it('a forced push needs the rule that allows it; it does not let anybody push', async () => {
    const branch = 'forced';
    await project.api('POST', '/repository/branches', { json: { branch, ref: 'main' } });
    await pushCommit(owner, branch);
    await protect({ name: branch });
    const force = async (who: Pusher) => {
      await git.run(['checkout', '-q', '--orphan', unique('orphan'), 'origin/main'], 'clone');
      await git.run(['commit', '-q', '--allow-empty', '-m', 'rewritten'], 'clone');
      return outcome(await push(who, [`+HEAD:refs/heads/${branch}`]));
    };
    expect([await force(owner), await force(admin), await force(developer)]).toEqual([noForce, noForce, noPush]);
    const rewritten = await project.api('POST', '/repository/commits', {
      json: { branch, commit_message: 'x', actions: [], allow_empty: true, start_branch: 'main', force: true },
    });
    expect([rewritten.status, rewritten.body.message]).toEqual([403, `403 Forbidden - ${noForce}`]);
    await project.api('PATCH', `/protected_branches/${branch}`, { json: { allow_force_push: true } });
    expect([await force(developer), await force(maintainer)]).toEqual([noPush, 'pushed']);
  });

  it('a protected branch is deleted by the API alone, by those who may lift the protection', async () => {
    const names = ['deleted/1', 'deleted/2'];
    for (const branch of names) await project.api('POST', '/repository/branches', { json: { branch, ref: 'main' } });
    await protect({ name: 'deleted/*', push_access_level: 30, allowed_to_unprotect: [{ user_id: owner.user.id }] });
    const remove = (who: BuiltToken, branch = 'deleted/1') =>
      project.api('DELETE', `/repository/branches/${at(branch)}`, { token: who.secret });
    for (const who of [developer, maintainer]) {
      expect((await push(who, [':refs/heads/deleted/1'])).stderr).toContain(noDelete);
      expect((await remove(who)).body).toEqual({ message: `403 Forbidden - ${noDelete}` });
    }
    expect((await push(owner, [':refs/heads/deleted/1'])).stderr).toContain(
      'You can only delete protected branches using the web interface.',
    );
    expect((await remove(owner)).status).toBe(204);
    expect((await remove(owner, 'main')).body).toEqual({
      message: '403 Forbidden - The default branch of a project cannot be deleted.',
    });
    expect((await push(owner, [':refs/heads/main'])).stderr).toContain(
      'The default branch of a project cannot be deleted.',
    );
    // Refused in one ref, the others of a push are done.
    await project.api('POST', '/repository/branches', { json: { branch: 'loose', ref: 'main' } });
    const mixed = await push(owner, [':refs/heads/deleted/2', ':refs/heads/loose']);
    expect([mixed.code, mixed.stderr]).toEqual([1, expect.stringContaining('- [deleted]')]);
    expect((await project.api('GET', '/repository/branches/loose')).status).toBe(404);
  });

  it('who only merges creates a protected branch by the API, from a protected one', async () => {
    await protect({ name: 'cut/*', push_access_level: 0, merge_access_level: 30 });
    await project.api('POST', '/repository/branches', { json: { branch: 'plain-base', ref: 'main' } });
    await project.commit('plain-base', { [unique('f')]: '' });
    const create = async (who: BuiltToken, branch: string, ref: string) =>
      (await project.api('POST', '/repository/branches', { token: who.secret, json: { branch, ref } })).body;
    expect(await create(developer, 'cut/1', 'plain-base')).toEqual({
      message:
        '403 Forbidden - You can only use an existing protected branch ref as the basis of a new protected branch.',
    });
    expect(await create(developer, 'cut/1', 'main')).toMatchObject({ name: 'cut/1', protected: true, can_push: false });
    await git.run(['checkout', '-q', '--detach', 'origin/main'], 'clone');
    expect((await push(developer, ['HEAD:refs/heads/cut/2'])).stderr).toContain(
      'You can only create protected branches using the web interface and API.',
    );
    await protect({ name: 'shut/*', push_access_level: 0, merge_access_level: 0 });
    expect(await create(owner, 'shut/1', 'main')).toEqual({
      message: '403 Forbidden - You are not allowed to create protected branches on this project.',
    });
  });

  it('the first branch of an empty repository, by what the namespace protects', async () => {
    await git.run(['init', '-q', 'first']);
    await git.commit('first', 'a', 'a');
    const start = async (level: number) => {
      const json = { default_branch_protection: level };
      expect((await app.api('PUT', `/groups/${top.id}`, { token: owner.secret, json })).status).toBe(200);
      const empty = await buildRepositoryProject(app, { owner, files: null, settings: { namespace_id: top.id } });
      const template = await empty.member(30);
      const pushed = await push(template, ['HEAD:refs/heads/main'], 'first', empty);
      const rule = (await empty.api<Json[]>('GET', '/protected_branches')).body[0];
      const who = (kind: string) => (rule?.[`${kind}_access_levels`] as Json[] | undefined)?.[0]?.access_level;
      return { empty, template, ...pushed, rule: [who('push'), who('merge')] };
    };
    expect(await start(0)).toMatchObject({ code: 0, rule: [undefined, undefined] });
    expect(await start(1)).toMatchObject({ code: 0, rule: [30, 40] });
    expect(await start(4)).toMatchObject({ code: 0, rule: [40, 40] });
    const full = await start(2);
    expect([full.code, full.stderr]).toEqual([
      1,
      expect.stringContaining(
        `A default branch does not exist yet for ${full.empty.fullPath}. Ask a project owner or maintainer to create it.`,
      ),
    ]);
    const lead = await full.empty.member(40);
    expect((await push(lead, ['HEAD:refs/heads/main'], 'first', full.empty)).code).toBe(0);
    const partly = await start(3);
    expect(partly.code).toBe(1);
    const json = { branch: 'main', commit_message: 'x', actions: [{ action: 'create', file_path: 'x', content: '' }] };
    const byApi = (token: string) => partly.empty.api('POST', '/repository/commits', { token, json });
    expect((await byApi(partly.template.secret)).status).toBe(403);
    expect((await byApi(partly.empty.owner.secret)).status).toBe(201);
  });
});

describe('protected tags', () => {
  const create = (who: BuiltToken, tag_name: string) =>
    project.api('POST', '/repository/tags', { token: who.secret, json: { tag_name, ref: 'main' } });
  const noTag = 'You are not allowed to create this tag as it is protected.';

  it('created by those who may, by git and the API; never moved; deleted by the API alone', async () => {
    await git.run(['checkout', '-q', '--detach', 'origin/main'], 'clone');
    await protectTag({
      ...{ name: 'v*', create_access_level: 40 },
      allowed_to_create: [{ user_id: named.user.id }, { deploy_key_id: writer.id }],
    });
    expect((await push(developer, ['HEAD:refs/tags/v0'])).stderr).toContain(noTag);
    expect((await push(other, ['HEAD:refs/tags/v0'])).stderr).toContain(noTag);
    expect((await create(developer, 'v0')).body).toEqual({ message: `403 Forbidden - ${noTag}` });
    expect((await create(named, 'v1')).body).toMatchObject({ name: 'v1', protected: true });
    expect((await push(writer, ['HEAD:refs/tags/v2'])).code).toBe(0);
    expect((await create(developer, 'other')).body).toMatchObject({ protected: false });
    await git.run(['commit', '-q', '--allow-empty', '-m', 'later'], 'clone');
    for (const who of [owner, developer])
      expect((await push(who, ['+HEAD:refs/tags/v1'])).stderr).toContain('Protected tags cannot be updated.');
    expect((await push(developer, [':refs/tags/v1'])).stderr).toContain(
      'You are not allowed to delete protected tags from this project. Only a project maintainer or owner can delete a protected tag.',
    );
    expect((await push(maintainer, [':refs/tags/v1'])).stderr).toContain(
      'You can only delete protected tags using the web interface.',
    );
    const remove = (who: BuiltToken) => project.api('DELETE', '/repository/tags/v1', { token: who.secret });
    expect([(await remove(named)).status, (await remove(maintainer)).status]).toEqual([403, 204]);
    expect((await push(developer, ['+HEAD:refs/tags/other'])).code).toBe(0);
    expect((await push(developer, [':refs/tags/other'])).code).toBe(0);
    await protectTag({ name: 'never/*', create_access_level: 0 });
    expect((await create(owner, 'never/1')).status).toBe(403);
  });

  it('no tag is called like the default branch', async () => {
    expect((await create(owner, 'main')).body).toEqual({
      message: '403 Forbidden - You cannot use the name of the default branch to create a tag.',
    });
  });

  it('security 20: protection is of the full ref, not of its short name', async () => {
    await protectTag({ name: 'same-tag' });
    await protect({ name: 'same-branch' });
    for (const name of ['same-tag', 'same-branch']) {
      await create(owner, name);
      await project.api('POST', '/repository/branches', { json: { branch: name, ref: 'main' } });
    }
    const shown = async (kind: string, name: string) =>
      (await project.api('GET', `/repository/${kind}/${name}`)).body.protected;
    expect([await shown('tags', 'same-tag'), await shown('branches', 'same-tag')]).toEqual([true, false]);
    expect([await shown('tags', 'same-branch'), await shown('branches', 'same-branch')]).toEqual([false, true]);
    const secret = { key: 'CANARY', value: 'canary-value', protected: true };
    await project.api('POST', '/variables', { json: secret });
    await project.commit('same-tag', { '.gitlab-ci.yml': 'job:\n  script: [x]\n' });
    await project.commit('same-branch', { '.gitlab-ci.yml': 'job:\n  script: [x]\n' });
    for (const [tag_name, from] of [
      ['same-tag', 'same-branch'],
      ['same-branch', 'same-tag'],
    ] as const) {
      await project.api('DELETE', `/repository/tags/${tag_name}`);
      await project.api('POST', '/repository/tags', { json: { tag_name, ref: from } });
    }
    const pipeline = async (ref: string, who: BuiltToken = owner) =>
      project.api<Json & { id: number }>('POST', '/pipeline', { token: who.secret, json: { ref } });
    const isProtected = async (ref: string) => {
      const { body } = await pipeline(ref);
      const row = app.db.selectFrom('pipelines').select('ref_protected').where('id', '=', body.id);
      return (await row.executeTakeFirst())?.ref_protected;
    };
    expect({
      tag: await isProtected('refs/tags/same-tag'),
      branchLikeTag: await isProtected('refs/heads/same-tag'),
      branch: await isProtected('refs/heads/same-branch'),
      tagLikeBranch: await isProtected('refs/tags/same-branch'),
    }).toEqual({ tag: true, branchLikeTag: false, branch: true, tagLikeBranch: false });
    // Who may not make the tag starts no pipeline that gets its secrets.
    const refused = await pipeline('refs/tags/same-tag', developer);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      400,
      expect.stringContaining('You do not have sufficient permission to run a pipeline'),
    ]);
    expect((await pipeline('refs/tags/same-branch', developer)).status).toBe(201);
  });
});
