/** Writes to jobs and pipelines: every route that has one, by every role, on refs that are protected and that are not. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, type JobPayload, type ProtocolRunner, startWorld, type World } from '../../../../test/ci.ts';
import { buildMember, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Route } from '../../../kernel/http/route.ts';

type Role = 'stranger' | 'guest' | 'reporter' | 'developer' | 'releaser' | 'maintainer' | 'owner' | 'admin';
const roles: readonly Role[] = [
  'stranger',
  'guest',
  'reporter',
  'developer',
  'releaser',
  'maintainer',
  'owner',
  'admin',
];
const refs = ['main', 'topic'] as const;
type RefName = (typeof refs)[number];

const isOwner = (role: Role) => role === 'owner' || role === 'admin';
const maintains = (role: Role) => isOwner(role) || role === 'maintainer';
const develops = (role: Role) => maintains(role) || role === 'developer' || role === 'releaser';
/** Only `main` is protected; one developer may merge into it. */
const updates = (role: Role, ref: RefName) =>
  ref === 'main' ? maintains(role) || role === 'releaser' : develops(role);

/** Who may, by route; one that is not named here fails the test. */
const rules: Readonly<Record<string, (role: Role, ref: RefName, own: boolean) => boolean>> = {
  'POST /projects/:id/pipeline': updates,
  'POST /projects/:id/statuses/:sha': updates,
  'POST /projects/:id/pipelines/:pipeline_id/retry': updates,
  'POST /projects/:id/pipelines/:pipeline_id/cancel': updates,
  'PUT /projects/:id/pipelines/:pipeline_id/metadata': updates,
  'PUT /projects/:id/pipelines/:pipeline_id/queue_priority': maintains,
  'DELETE /projects/:id/pipelines/:pipeline_id': isOwner,
  'POST /projects/:id/jobs/:job_id/play': updates,
  'POST /projects/:id/jobs/:job_id/unschedule': updates,
  'POST /projects/:id/jobs/:job_id/retry': updates,
  'POST /projects/:id/jobs/:job_id/cancel': updates,
  'POST /projects/:id/jobs/:job_id/erase': (role, ref, own) =>
    maintains(role) || (develops(role) && own && ref === 'topic'),
  // The others' jobs are the owner's.
  'POST /projects/:id/jobs/:job_id/terminal': (role, ref, own) => (own || role === 'owner') && updates(role, ref),
  'POST /projects/:id/jobs/:job_id/artifacts/keep': updates,
  'DELETE /projects/:id/jobs/:job_id/artifacts': maintains,
  'DELETE /projects/:id/artifacts': maintains,
};
/** Statuses in which the work of a route can be done. */
const startsIn: Readonly<Record<string, string>> = {
  play: 'manual',
  unschedule: 'scheduled',
  cancel: 'pending',
  terminal: 'running',
};

let world: World;
let runner: ProtocolRunner;
let projectId = 0;
const people = new Map<Role, Account>();
const templates = new Map<RefName, { readonly pipeline: number; readonly job: number; readonly sha: string }>();

const person = (role: Role): Account => people.get(role) ?? { user: world.owner.user, token: '' };
const template = (ref: RefName) => templates.get(ref) ?? { pipeline: 0, job: 0, sha: '' };

beforeAll(async () => {
  world = await startWorld();
  const { app } = world;
  runner = await world.runner();
  const project = await world.project({ visibility: 'public' });
  projectId = project.id;
  const row = await app.db.selectFrom('projects').selectAll().where('id', '=', projectId).executeTakeFirstOrThrow();
  for (const role of ['guest', 'reporter', 'developer', 'releaser', 'maintainer'] as const) {
    const { user } = await buildMember(app, { of: row, level: role === 'releaser' ? Level.developer : Level[role] });
    people.set(role, { user, token: (await buildToken(app, { user })).secret });
  }
  people
    .set('stranger', await world.account())
    .set('owner', world.owner)
    .set('admin', world.admin);
  const allowed = await app.api('PATCH', `/projects/${projectId}/protected_branches/main`, {
    token: world.owner.token,
    json: { allowed_to_merge: [{ user_id: person('releaser').user.id }] },
  });
  expect(allowed.status).toBe(200);
  for (const ref of refs) {
    const pipeline = await project.push('build: {script: [x]}', { branch: ref });
    const { id } = await runner.run();
    templates.set(ref, { pipeline: pipeline.id, job: id, sha: pipeline.sha });
  }
});
afterAll(() => world.close());

let iid = 1000;
/** A row like another, with some values of its own. */
async function copyRow(table: 'pipelines' | 'jobs', from: number, values: Record<string, unknown>): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into ${sql.table(table)} overriding system value
    select (jsonb_populate_record(original, ${JSON.stringify(values)}::jsonb
      || jsonb_build_object('id', nextval(pg_get_serial_sequence(${table}, 'id'))))).*
    from ${sql.table(table)} original where original.id = ${from} returning id
  `.execute(world.app.db);
  return rows[0]?.id ?? 0;
}
/** A pipeline with one job like the one of the ref, in a status and of a person. */
async function copied(ref: RefName, status: string, userId: number): Promise<{ pipeline: number; job: number }> {
  const from = template(ref);
  iid += 1;
  const pipeline = await copyRow('pipelines', from.pipeline, { iid, status: status === 'failed' ? status : 'running' });
  // Kept from runners by a tag that none has.
  const own = { tag_list: ['none-has-this'], token_sha256: null, trace_object_key: null };
  const job = await copyRow('jobs', from.job, { ...own, pipeline_id: pipeline, status, user_id: userId });
  return { pipeline, job };
}

const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`;
const below = /^\/projects\/:id\/(jobs|pipelines|pipeline|statuses|artifacts)(\/|$)/;

async function answer(name: string, role: Role, ref: RefName, own: boolean): Promise<number> {
  const status = startsIn[name.split('/').at(-1) ?? ''] ?? 'failed';
  const by = person(role);
  const { pipeline, job } = await copied(ref, status, own ? by.user.id : world.owner.user.id);
  const [method = '', path = ''] = name.split(' ');
  if (path.endsWith('/terminal')) {
    const session = { job_id: job, url: 'http://127.0.0.1:9' };
    await world.app.db.insertInto('job_sessions').values(session).execute();
  }
  const target = path
    .replace(':id', String(projectId))
    .replace(':pipeline_id', String(pipeline))
    .replace(':job_id', String(job))
    .replace(':sha', template(ref).sha);
  const bodies = {
    pipeline: { ref },
    ':sha': { ref, state: 'success' },
    metadata: { name: 'Named' },
    queue_priority: { queue_priority: 'low' },
  };
  const json = bodies[name.split('/').at(-1) as keyof typeof bodies] ?? {};
  const { status: code, body } = await world.app.api<{ message?: unknown }>(method as 'POST', target, {
    token: by.token,
    json,
  });
  // Refused like a configuration that makes no pipeline, as the ecosystem does.
  return code === 400 && JSON.stringify(body).includes('sufficient permission') ? 403 : code;
}

describe('security 18: writes to jobs and pipelines', () => {
  it('every route that writes is among the rules', () => {
    const writes = world.app.routes.filter(({ method, path }) => method !== 'GET' && below.test(path)).map(nameOf);
    expect(writes.toSorted()).toEqual(Object.keys(rules).toSorted());
  });

  for (const ref of refs)
    it.each(Object.keys(rules))(`${ref}: %s`, async (name) => {
      const rule = rules[name];
      const found: string[] = [];
      const wanted: string[] = [];
      for (const own of name.endsWith('/erase') ? [false, true] : [false])
        for (const role of roles) {
          const code = await answer(name, role, ref, own);
          expect(code).toBeLessThan(500);
          const who = `${role}${own ? ' of their own' : ''}`;
          found.push(`${who}: ${code === 403 ? 'refused' : 'allowed'}`);
          wanted.push(`${who}: ${rule?.(role, ref, own) ? 'allowed' : 'refused'}`);
        }
      expect(found).toEqual(wanted);
    });
});

describe('security 20: jobs with debug logging', () => {
  // What the tests above have started waits for nobody.
  beforeAll(async () => {
    await world.app.db.updateTable('jobs').set({ status: 'canceled' }).where('status', '=', 'pending').execute();
  });
  const read = async (role: Role | null, job: number, what: 'trace' | 'artifacts' | 'artifacts/a.txt') =>
    (
      await world.app.api(
        'GET',
        `/projects/${projectId}/jobs/${job}/${what}`,
        role ? { token: person(role).token } : {},
      )
    ).status;

  async function debugged(ref: RefName): Promise<JobPayload> {
    const { app, owner } = world;
    await app.api('POST', `/projects/${projectId}/pipeline`, { token: owner.token, json: { ref } });
    const job = await runner.next();
    const data = 'SECRET=unmasked\n';
    const patched = await fetch(`${app.url}/api/v4/jobs/${job.id}/trace?debug_trace=true`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'text/plain', 'Content-Range': `0-${data.length - 1}`, 'JOB-TOKEN': job.token },
      body: data,
    });
    expect(patched.status).toBe(202);
    return job;
  }

  it.each(refs)('what the runner says is kept: the log of a job on %s is for those who may update it', async (ref) => {
    const job = await debugged(ref);
    for (const role of roles)
      expect([role, await read(role, job.id, 'trace')]).toEqual([role, updates(role, ref) ? 200 : 403]);
    expect(await read(null, job.id, 'trace')).toBe(401);
    await runner.json('PUT', `/jobs/${job.id}`, { token: job.token, state: 'failed' });
    const shown = await world.app.api<{ debug_trace: boolean }>('GET', `/projects/${projectId}/jobs/${job.id}`);
    expect(shown.body.debug_trace).toBe(true);
    // Before it is known whether there are artifacts at all, and after: nobody else gets one.
    const { db } = world.app;
    const archive = { file_type: 'archive', file_format: 'zip', filename: 'a.zip', size: 1, accessibility: 'all' };
    await db
      .insertInto('job_artifacts')
      .values({
        ...archive,
        job_id: job.id,
        project_id: projectId,
        sha256: Buffer.alloc(32),
        object_key: randomBytes(16).toString('hex'),
      })
      .execute();
    for (const what of ['artifacts', 'artifacts/a.txt'] as const) {
      for (const role of roles)
        expect([role, await read(role, job.id, what)]).toEqual([role, updates(role, ref) ? 404 : 403]);
      expect(await read(null, job.id, what)).toBe(401);
    }
    // Another attempt is a job of its own.
    const again = await copied(ref, 'failed', world.owner.user.id);
    expect(await read(null, again.job, 'trace')).toBe(200);
  });

  it.each([
    ['CI_DEBUG_TRACE', 'true', true],
    ['CI_DEBUG_TRACE', '1', true],
    ['CI_DEBUG_SERVICES', 'True', true],
    ['CI_DEBUG_TRACE', '$ELSEWHERE', true],
    ['CI_DEBUG_TRACE', 'false', false],
  ])('%s=%s marks the job before it has a log: %s', async (key, value, marked) => {
    const { app, owner } = world;
    const json = { ref: 'topic', variables: [{ key, value }] };
    await app.api('POST', `/projects/${projectId}/pipeline`, { token: owner.token, json });
    const job = await runner.next();
    expect([await read(null, job.id, 'trace'), await read('developer', job.id, 'trace')]).toEqual([
      marked ? 401 : 200,
      200,
    ]);
    await runner.update(job, 'success');
  });

  it('archived projects show it to maintainers', async () => {
    const { app, owner } = world;
    const job = await debugged('main');
    await runner.json('PUT', `/jobs/${job.id}`, { token: job.token, state: 'failed' });
    const archive = (action: string) => app.api('POST', `/projects/${projectId}/${action}`, { token: owner.token });
    expect((await archive('archive')).status).toBe(201);
    expect([await read('maintainer', job.id, 'trace'), await read('releaser', job.id, 'trace')]).toEqual([200, 403]);
    expect((await archive('unarchive')).status).toBe(201);
  });
});
