/** Every attribute of a project: kept and told, by creating and by changing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildMember, buildToken, unique } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import { projectAttributes } from './attributes.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let owner: BuiltToken;
let admin: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
  admin = await buildToken(app, { user: await buildAdmin(app) });
});
afterAll(() => app.close());

const create = (json: Json, token = owner.secret) =>
  app.api<Json>('POST', '/projects', { token, json: { name: unique('attributed'), ...json } });
const put = (id: unknown, json: Json, token = owner.secret) => app.api<Json>('PUT', `/projects/${id}`, { token, json });
const get = (id: unknown, token?: string) => app.api<Json>('GET', `/projects/${id}`, { token });
const row = async (id: unknown): Promise<Project> =>
  await app.db.selectFrom('projects').selectAll().where('id', '=', Number(id)).executeTakeFirstOrThrow();

describe('every attribute', () => {
  const plain = Object.entries(projectAttributes).filter(([, { sample }]) => sample !== undefined);

  it.each(plain)(
    '[3/fields.project/1] attribute %s is kept and told, by creating and by changing',
    async (name, attribute) => {
      const { sample, stored, as, told, to, setBy = to } = attribute;
      const who = setBy === 'administrators' ? admin.secret : owner.secret;
      const made = await create({ [name]: sample }, who);
      expect([made.status, made.body.message]).toEqual([201, undefined]);
      const other = await create({}, who);
      const before = typeof stored === 'string' ? (await row(other.body.id))[stored] : null;
      const changed = await put(other.body.id, { [name]: sample }, who);
      expect(changed.status).toBe(200);
      expect(changed.body[as ?? name]).toEqual(told ?? sample);
      expect((await get(made.body.id, who)).body[as ?? name]).toEqual(told ?? sample);
      if (typeof stored === 'string') {
        const kept = (await row(made.body.id))[stored];
        expect(kept).toEqual((await row(other.body.id))[stored]);
        expect(kept).not.toEqual(before);
      }
    },
  );

  it('names for each effect a test that exists, or what it waits for', () => {
    for (const [name, { effect, test }] of Object.entries(projectAttributes)) {
      const proven = typeof effect !== 'string' || existsSync(join(import.meta.dirname, '../..', test ?? 'none'));
      expect([name, proven]).toEqual([name, true]);
    }
  });

  it('who is told which: the short form for everybody, the settings for people, some for maintainers only', async () => {
    const all = Object.fromEntries(plain.map(([name, { sample }]) => [name, sample]));
    const made = await create({ ...all, visibility: 'public', repository_access_level: 'enabled' });
    expect(made.status).toBe(201);
    const stranger = (await get(made.body.id, (await buildToken(app)).secret)).body;
    const nobody = (await get(made.body.id)).body;
    const maintainer = await buildToken(app);
    await buildMember(app, { user: maintainer.user, of: await row(made.body.id), level: Level.maintainer });
    const inside = (await get(made.body.id, maintainer.secret)).body;
    for (const [name, { to, as }] of Object.entries(projectAttributes)) {
      const key = as ?? name;
      expect([name, key in nobody, key in stranger, key in inside]).toEqual([
        name,
        to === 'everybody',
        to !== 'maintainers' && to !== 'administrators',
        to !== 'administrators',
      ]);
    }
    // Set by somebody else it is left as it was, without an error.
    const told = (await get(made.body.id, admin.secret)).body;
    expect([told.repository_size_limit, told.max_artifacts_size, told.build_timeout]).toEqual([null, null, 1200]);
  });

  it('the configuration’s path is for those who may see the code', async () => {
    const made = await create({ visibility: 'public', repository_access_level: 'private', ci_config_path: 'x.yml' });
    expect((await get(made.body.id, (await buildToken(app)).secret)).body).not.toHaveProperty('ci_config_path');
    expect((await get(made.body.id, owner.secret)).body.ci_config_path).toBe('x.yml');
  });

  it('refuses what is out of bounds', async () => {
    const bad: Json[] = [
      { build_timeout: 1 },
      { ci_delete_pipelines_in_seconds: 60 },
      { max_artifacts_size: 0 },
      { package_registry_access_level: 'everyone' },
      { issues_access_level: 'public' },
      { ci_restrict_pipeline_cancellation_role: 'owner' },
      { container_expiration_policy_attributes: { cadence: '2d' } },
      { squash_option: 'sometimes' },
    ];
    for (const json of bad) expect([json, (await create(json)).status]).toEqual([json, 400]);
    expect((await create({ ci_id_token_sub_claim_components: ['ref'] })).body).toEqual({
      message: { ci_id_token_sub_claim_components: ['project_path needs to be the first element'] },
    });
    const { id } = (await create({})).body;
    expect(await put(id, { ci_delete_pipelines_in_seconds: 40_000_000 })).toMatchObject({
      status: 400,
      body: { message: { ci_delete_pipelines_in_seconds: ['must be at most 1 year (31557600 seconds)'] } },
    });
  });
});
