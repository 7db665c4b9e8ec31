/** Audit events over HTTP: who sees which, filters, pages. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { recordAudit, systemOrigin } from '../../../kernel/audit/index.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { Namespace, Project, User } from '../../../kernel/db/rows.ts';

let app: TestApp;
let admin: string;
let group: Namespace;
let project: Project;
const people = new Map<string, { user: User; secret: string }>();
const tokenOf = (name: string) => people.get(name)?.secret;

type Json = Record<string, unknown>;
const list = (path: string, token: string | undefined, query: Json = {}) =>
  app.api<Json[]>('GET', path, { token, query });
const events = async (path: string, token: string | undefined, query: Json = {}) =>
  (await list(path, token, query)).body.map((event) => event.event_name);

beforeAll(async () => {
  app = await startTestApp();
  admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
  group = await buildGroup(app);
  project = await buildProject(app, { namespace: group });
  for (const role of ['reporter', 'developer', 'maintainer', 'owner'] as const) {
    const token = await buildToken(app);
    await buildMember(app, { user: token.user, of: group, level: Level[role] });
    people.set(role, token);
  }
  const developer = people.get('developer')?.user ?? null;
  const inProject = { type: 'Project', id: project.id, path: `${group.path}/${project.path}` } as const;
  const inGroup = { type: 'Group', id: group.id, path: group.path } as const;
  const details = { change: 'x', from: 1, to: false, as: null, with: 'a', add: ['b'], count: 3 };
  await recordAudit(app.db, { ...systemOrigin, entity: inProject, event: 'first', details });
  await recordAudit(app.db, {
    author: developer,
    address: '192.0.2.7',
    entity: inProject,
    event: 'second',
    details: {},
    target: { type: 'Thing', id: 5, details: 'its name' },
  });
  await recordAudit(app.db, { ...systemOrigin, entity: inGroup, event: 'third', details: {} });
  await recordAudit(app.db, { author: developer, address: null, entity: inGroup, event: 'fourth', details: {} });
  const instance = { type: 'Instance', id: 1, path: 'instance' } as const;
  await recordAudit(app.db, { ...systemOrigin, entity: instance, event: 'fifth', details: {} });
});
afterAll(() => app.close());

describe('GET /audit_events', () => {
  it('tells administrators what happened, where and by whom', async () => {
    const all = await list('/audit_events', admin, { entity_type: 'Project', entity_id: project.id });
    expect(all.status).toBe(200);
    expect(all.body).toMatchObject([
      {
        author_id: people.get('developer')?.user.id,
        entity_id: project.id,
        entity_type: 'Project',
        event_name: 'second',
        details: {
          author_name: people.get('developer')?.user.name,
          author_email: people.get('developer')?.user.email,
          target_id: 5,
          target_type: 'Thing',
          target_details: 'its name',
          ip_address: '192.0.2.7',
          entity_path: `${group.path}/${project.path}`,
        },
      },
      {
        author_id: -1,
        author_name: 'System',
        event_name: 'first',
        // Typed clients read both sides of a change as texts.
        details: {
          ...{ change: 'x', from: '1', to: 'false', as: null, with: 'a', add: '["b"]', count: 3 },
          ...{ ip_address: null, target_id: project.id },
        },
      },
    ]);
    const one = await app.api<Json>('GET', `/audit_events/${all.body[0]?.id}`, { token: admin });
    expect(one.body).toEqual(all.body[0]);
    expect((await app.api('GET', '/audit_events/999999', { token: admin })).status).toBe(404);
    expect((await list('/audit_events', tokenOf('owner'))).status).toBe(403);
    expect((await list('/audit_events', undefined)).status).toBe(401);
  });

  it('filters by entity and time, and pages by cursor', async () => {
    expect(await events('/audit_events', admin, { entity_type: 'Gitlab::Audit::InstanceScope' })).toEqual(['fifth']);
    expect(await events('/audit_events', admin, { entity_type: 'Instance' })).toEqual(['fifth']);
    expect((await list('/audit_events', admin, { entity_type: 'Planet' })).status).toBe(400);
    expect((await list('/audit_events', admin, { entity_id: 1 })).status).toBe(400);
    expect(await events('/audit_events', admin, { created_before: '2020-01-01' })).toEqual([]);
    expect(await events('/audit_events', admin, { entity_type: 'Group', created_after: '2020-01-01' })).toEqual([
      'fourth',
      'third',
    ]);
    const first = await list('/audit_events', admin, { pagination: 'keyset', per_page: 2 });
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await list(`/audit_events${new URL(next).search}`, admin);
    const ids = [...first.body, ...second.body].map((event) => Number(event.id));
    expect(ids).toHaveLength(4);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
    expect((await list('/audit_events', admin, { pagination: 'keyset', cursor: 'x' })).status).toBe(400);
  });
});

it('GET /audit_events filters by author', async () => {
  const author_id = people.get('developer')?.user.id;
  expect(await events('/audit_events', admin, { author_id, entity_type: 'Project' })).toEqual(['second']);
  expect(await events(`/projects/${project.id}/audit_events`, tokenOf('owner'), { author_id })).toEqual(['second']);
  // Whoever sees their own only does not see others' by asking.
  const owner = people.get('owner')?.user.id;
  expect(await events(`/projects/${project.id}/audit_events`, tokenOf('developer'), { author_id: owner })).toEqual([]);
});

describe.each(['group', 'project'] as const)('GET /%ss/:id/audit_events', (noun) => {
  const base = () => (noun === 'group' ? `/groups/${group.id}/audit_events` : `/projects/${project.id}/audit_events`);
  const all = noun === 'group' ? ['fourth', 'third'] : ['second', 'first'];

  it('shows everything to those in charge, their own events to developers, nothing below', async () => {
    expect(await events(base(), tokenOf('owner'))).toEqual(all);
    expect(await events(base(), tokenOf('maintainer'))).toEqual(noun === 'group' ? [] : all);
    expect(await events(base(), tokenOf('developer'))).toEqual(all.slice(0, 1));
    expect((await list(base(), tokenOf('reporter'))).status).toBe(403);
    expect((await list(base(), (await buildToken(app)).secret)).status).toBe(404);
    expect((await list(base(), undefined)).status).toBe(401);
    expect(await events(base(), tokenOf('owner'), { created_before: '2020-01-01' })).toEqual([]);
  });

  it('security 17: one event is found below its own place only', async () => {
    const [event] = (await list(base(), tokenOf('owner'))).body;
    const get = (id: unknown, token: string | undefined) => app.api('GET', `${base()}/${id}`, { token });
    expect((await get(event?.id, tokenOf('owner'))).body).toEqual(event);
    expect((await get(event?.id, tokenOf('developer'))).status).toBe(403);
    const [elsewhere] = (await list('/audit_events', admin, { entity_type: 'Instance' })).body;
    expect((await get(elsewhere?.id, tokenOf('owner'))).status).toBe(404);
  });
});

it('an event of a change that is taken back is taken back too', async () => {
  const undone = transaction(app.db, async (tx) => {
    const entity = { type: 'Group', id: group.id, path: group.path } as const;
    await recordAudit(tx, { ...systemOrigin, entity, event: 'undone', details: {} });
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await events('/audit_events', admin)).not.toContain('undone');
});
