/** Milestones of releases. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let project: RepositoryProject;
let developer: BuiltToken;
const releases = '/releases';
const at = (tag: string) => `/releases/${encodeURIComponent(tag)}`;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app);
  developer = await project.member(30);
});
afterAll(() => app.close());

describe('milestones', () => {
  it('are those of the project, by title or id, with what is planned for them; taken away with an empty list', async () => {
    const make = async (title: string, json: Json = {}) =>
      (await project.api('POST', '/milestones', { json: { title, ...json } })).body;
    const [late, soon] = [
      await make('m late', { due_date: '2031-01-01' }),
      await make('m soon', { due_date: '2030-01-01' }),
    ];
    const release = async (json: Json) =>
      await project.api<Json & { milestones?: Json[] }>('POST', releases, {
        json: { ref: 'main', ...json },
        token: developer.secret,
      });
    const made = await release({ tag_name: 'planned', milestones: ['m late', 'm soon'] });
    const stats = { issue_stats: { total: 0, closed: 0 } };
    expect(made.body.milestones).toEqual([
      { ...soon, ...stats },
      { ...late, ...stats },
    ]);
    const [evidence] = (await project.api('GET', at('planned'))).body.evidences as { filepath: string }[];
    const id = evidence?.filepath.split('/').at(-1)?.replace('.json', '');
    const noted = await project.api('GET', `${at('planned')}/evidences/${id}`);
    expect(noted.body.release).toMatchObject({
      milestones: [{ id: soon.id, title: 'm soon', iid: soon.iid }, { id: late.id }],
    });
    const put = async (json: Json) =>
      (
        (await project.api('PUT', at('planned'), { json, token: developer.secret })).body.milestones as
          | Json[]
          | undefined
      )?.map((each) => each.title);
    expect(await put({ milestone_ids: [late.id] })).toEqual(['m late']);
    expect(await put({ name: 'Planned' })).toEqual(['m late']);
    expect(await put({ milestones: [] })).toBeUndefined();
    expect(await put({ milestones: 'm soon' })).toEqual(['m soon']);
    await project.api('DELETE', `/milestones/${soon.id}`);
    expect((await project.api('GET', at('planned'))).body.milestones).toBeUndefined();
    await put({ milestones: ['m late'] });
    const listed = await project.api<Json[]>('GET', releases, { token: developer.secret });
    expect(listed.body.find(({ tag_name }) => tag_name === 'planned')?.milestones).toMatchObject([{ title: 'm late' }]);
    await project.api('DELETE', at('planned'));
    await project.api('DELETE', '/repository/tags/planned');
  });

  it('of groups above are meant too, follow a promotion and a move, and are told to who sees milestones', async () => {
    const [group, other] = [
      await buildGroup(app, { owner: project.owner.user }),
      await buildGroup(app, { owner: project.owner.user }),
    ];
    const settings = { namespace_id: group.id, visibility: 'private' };
    const own = await buildRepositoryProject(app, { owner: project.owner, settings });
    const milestone = (await own.api('POST', '/milestones', { json: { title: 'plan' } })).body;
    await own.api('POST', '/releases', { json: { tag_name: 'v1', ref: 'main', milestones: ['plan'] } });
    const shown = async () => (await own.api('GET', '/releases/v1')).body.milestones;
    const promoted = (await own.api('POST', `/milestones/${milestone.id}/promote`)).body;
    expect(await shown()).toMatchObject([{ id: promoted.id, group_id: group.id }]);
    const again = await own.api('PUT', '/releases/v1', { json: { milestone_ids: [promoted.id] } });
    expect(again.body.milestones).toMatchObject([{ id: promoted.id }]);
    await own.api('PUT', '/transfer', { json: { namespace: other.id } });
    expect(await shown()).toMatchObject([{ title: 'plan', project_id: own.id }]);
    await own.api('PUT', '', { json: { issues_access_level: 'disabled', merge_requests_access_level: 'disabled' } });
    expect(await shown()).toBeUndefined();
    const refused = await own.api('PUT', '/releases/v1', { json: { milestones: ['plan'] } });
    expect([refused.status, refused.body.message]).toEqual([400, 'Milestone(s) not found: plan']);
  });
});
