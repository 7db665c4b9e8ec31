/** Something of each noun, for the requests of `error-texts.test.ts` that are refused because of it. */
import { expect } from 'vitest';
import { Level } from '../src/kernel/authz/levels.ts';
import type { TestApp } from './app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  buildUser,
} from './factories.ts';
import { sshKeyText } from './keys.ts';
import { buildRepositoryProject } from './repositories.ts';

/** A project with one of each, the people around it, and what none of them may do once more. */
export async function buildRefusals(app: TestApp) {
  const key = sshKeyText();
  const admin = await buildToken(app, { user: await buildAdmin(app) });
  const project = await buildRepositoryProject(app);
  const [member, guest] = [await project.member(Level.developer), await project.member(Level.guest)];
  const reporter = await project.member(Level.reporter);
  const group = await buildGroup(app, { owner: project.owner.user });
  await buildMember(app, { of: group, user: member.user, level: Level.developer });
  await project.commit('topic', { 'a.txt': 'a' }, { start_branch: 'main' });
  const locked = await buildGroup(app, { owner: project.owner.user });
  const lock = { token: project.owner.secret, json: { share_with_group_lock: true } };
  expect((await app.api('PUT', `/groups/${locked.id}`, lock)).status).toBe(200);
  const closed = await buildProject(app, { namespace: locked });
  const limited = await buildToken(app, { user: await buildUser(app, { projects_limit: 1 }) });
  await buildProject(app, { owner: limited.user });
  const made = async <T = { iid: number }>(path: string, json: object, by: BuiltToken = project.owner) => {
    const answer = await app.api<T>('POST', path, { token: by.secret, json });
    expect([path, answer.status, answer.body]).toEqual([path, 201, expect.anything()]);
    return answer.body;
  };
  const base = `/projects/${project.id}`;
  await made(`${base}/share`, { group_id: group.id, group_access: 30 });
  await made(`${base}/protected_branches`, { name: 'stable' });
  await made(`${base}/protected_tags`, { name: 'v*' });
  await made(`${base}/repository/tags`, { tag_name: 'v1', ref: 'main' });
  await made(`${base}/releases`, { tag_name: 'v1' });
  await made(`${base}/labels`, { name: 'bug', color: '#ff0000' });
  await made(`${base}/milestones`, { title: 'one' });
  await made(`${base}/variables`, { key: 'KEY', value: 'x' });
  await made(`${base}/deploy_keys`, { title: 'k', key: sshKeyText() });
  await made('/user/keys', { title: 'k', key });
  const issue = (await made(`${base}/issues`, { title: 'x' })).iid;
  await made(`${base}/issues/${issue}/award_emoji`, { name: 'tada' });
  await made(`${base}/issues/${issue}/subscribe`, {}, guest);
  const linked = (await made(`${base}/issues`, { title: 'y' })).iid;
  await made(`${base}/issues/${issue}/links`, { target_project_id: project.id, target_issue_iid: linked });
  await made(`${base}/environments`, { name: 'staging' });
  const protect = { name: 'staging', deploy_access_levels: [{ access_level: 40 }] };
  await made(`${base}/protected_environments`, protect);
  await made(`${base}/statuses/topic`, { state: 'running', name: 'ci' });
  const change = { source_branch: 'topic', target_branch: 'main', title: 'x' };
  const request = (await made(`${base}/merge_requests`, change)).iid;
  return { admin, project, member, guest, reporter, group, closed, limited, issue, linked, request, key };
}
