/** Artifacts that jobs need of other projects, refs and pipelines, and jobs that end as another project's pipeline does. */
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import yazl from 'yazl';
import {
  eventually,
  type JobPayload,
  type ProtocolRunner,
  startWorld,
  type TestProject,
  type World,
} from '../../../../test/ci.ts';

type Json = Record<string, unknown>;
interface Dependency {
  readonly id: number;
  readonly name: string;
  readonly token: string;
  readonly artifacts_file: { readonly filename: string; readonly size: number };
}
let world: World;
let runner: ProtocolRunner;
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
});
afterAll(() => world.close());

const dependencies = (job: JobPayload) => job.dependencies as Dependency[];
const variablesOf = (job: JobPayload) => Object.fromEntries(job.variables.map(({ key, value }) => [key, value]));

async function zipOf(text: string): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  zip.addBuffer(Buffer.from(text), 'of.txt', { compress: false });
  zip.end();
  return await buffer(zip.outputStream);
}

/** Runs the next job, which leaves an archive. */
async function leave(text: string): Promise<JobPayload> {
  const job = await runner.next();
  const data = await zipOf(text);
  expect((await runner.upload(job, { data, name: 'a.zip', type: 'archive', format: 'zip' })).status).toBe(201);
  await runner.update(job, 'success');
  return job;
}

/** A private project whose job `make` has left an archive on `main`. */
async function library(): Promise<{ project: TestProject; job: JobPayload }> {
  const project = await world.project();
  await project.push('make: {script: [x], artifacts: {paths: [of.txt], reports: {dotenv: v.env}}}');
  return { project, job: await leave('theirs') };
}

const allow = (of: TestProject, who: TestProject) =>
  world.app.api('POST', `/projects/${of.id}/job_token_scope/allowlist`, {
    token: world.owner.token,
    json: { target_project_id: who.id },
  });

const failed = async (project: TestProject, pipeline: number, name: string) => {
  // The runner is told that there is nothing for it.
  expect((await runner.request()).status).toBe(204);
  return await project.job(pipeline, name);
};

describe('needs:project', () => {
  it('gives the newest success of the ref in the project, which has let the other one have it', async () => {
    const [{ project: lib, job: made }, project] = [await library(), await world.project()];
    const config = `use:\n  script: [x]\n  needs: [{project: ${lib.path}, ref: $WHERE, job: make}]\n  variables: {WHERE: main}\n`;
    const refused = await project.push(config);
    expect(await failed(project, refused.id, 'use')).toMatchObject({
      status: 'failed',
      failure_reason: 'missing_dependency_failure',
    });
    expect((await allow(lib, project)).status).toBe(201);
    const other = await project.push(`${config}# again\n`);
    const job = await runner.next();
    expect(job.job_info).toMatchObject({ name: 'use', project_id: project.id });
    expect(dependencies(job)).toEqual([
      {
        id: made.id,
        name: 'make',
        token: job.token,
        artifacts_file: { filename: 'a.zip', size: expect.any(Number) },
      },
    ]);
    const file = await runner.download(made.id, job.token);
    expect([file.status, Buffer.from(await file.arrayBuffer()).includes('theirs')]).toEqual([200, true]);
    await runner.update(job, 'success');
    await project.reaches(other.id, 'success');
    // The token is worth nothing any more.
    expect((await runner.download(made.id, job.token)).status).toBe(403);
    // A newer failure changes nothing; another name or ref is not there.
    await lib.push('make: {script: [x], artifacts: {paths: [of.txt]}}');
    await runner.run('failed');
    await project.push(`${config}# third\n`);
    const third = await runner.run();
    expect(dependencies(third).map(({ id }) => id)).toEqual([made.id]);
    const absent = await project.push(config.replace('WHERE: main', 'WHERE: gone'));
    expect((await failed(project, absent.id, 'use')).failure_reason).toBe('missing_dependency_failure');
  });

  it('[security 19] never reaches what the user of the job may not read', async () => {
    const { project: lib, job: made } = await library();
    const stranger = await world.account();
    const own = await world.app.api<{ id: number; path_with_namespace: string }>('POST', '/projects', {
      token: stranger.token,
      json: { name: 'own', initialize_with_readme: true },
    });
    // Even where the project's jobs are let in: the person is not.
    await world.app.db
      .insertInto('job_token_scope_projects')
      .values({ project_id: lib.id, target_project_id: own.body.id })
      .execute();
    const commit = await world.app.api<Json>('POST', `/projects/${own.body.id}/repository/commits`, {
      token: stranger.token,
      json: {
        branch: 'main',
        commit_message: 'CI',
        actions: [
          {
            action: 'create',
            file_path: '.gitlab-ci.yml',
            content: `first: {script: [x]}\nuse:\n  script: [x]\n  needs: [first, {project: ${lib.path}, ref: main, job: make}]\n`,
          },
        ],
      },
    });
    expect(commit.status).toBe(201);
    const first = await runner.next();
    expect((await runner.download(made.id, first.token)).status).toBe(404);
    await runner.update(first, 'success');
    expect((await runner.request()).status).toBe(204);
    const rows = await world.app.db
      .selectFrom('jobs')
      .select(['name', 'failure_reason'])
      .where('project_id', '=', own.body.id)
      .orderBy('id')
      .execute();
    expect(rows).toEqual([
      { name: 'first', failure_reason: null },
      { name: 'use', failure_reason: 'missing_dependency_failure' },
    ]);
  });

  it('passes on what the job has reported as dotenv', async () => {
    const [lib, project] = [await world.project(), await world.project()];
    await lib.push('make: {script: [x], artifacts: {reports: {dotenv: v.env}}}');
    const made = await runner.next();
    const { gzipSync } = await import('node:zlib');
    const file = { data: gzipSync('RELEASE=4.2\n'), name: 'v.env.gz', type: 'dotenv', format: 'gzip' };
    expect((await runner.upload(made, file)).status).toBe(201);
    await runner.update(made, 'success');
    await allow(lib, project);
    await project.push(`use: {script: [x], needs: {project: ${lib.path}, ref: main, job: make}}`);
    const job = await runner.run();
    expect(variablesOf(job).RELEASE).toBe('4.2');
    expect(dependencies(job)).toEqual([]);
  });
});

describe('needs:pipeline', () => {
  it('gives a child what its parent and other children have left, and nothing of other pipelines', async () => {
    const project = await world.project();
    const { id } = await project.push(
      'make: {stage: build, script: [x], artifacts: {paths: [of.txt]}}\nstart:\n  variables: {PARENT: $CI_PIPELINE_ID}\n  trigger: {include: child.yml, strategy: depend}\n',
      { files: { 'child.yml': 'use: {script: [x], needs: [{pipeline: $PARENT, job: make}]}\n' } },
    );
    const made = await leave('of the parent');
    const job = await runner.next();
    expect(dependencies(job)).toMatchObject([{ id: made.id, name: 'make', token: job.token }]);
    await runner.update(job, 'success');
    await project.reaches(id, 'success');
    const foreign = await project.push(`use: {script: [x], needs: [{pipeline: "${id}", job: make}]}`);
    expect((await failed(project, foreign.id, 'use')).failure_reason).toBe('missing_dependency_failure');
  });

  it('a job that needs what was erased fails and says so', async () => {
    const project = await world.project();
    const { id } = await project.push(
      'make: {stage: build, script: [x], artifacts: {paths: [of.txt]}}\nuse: {script: [x], when: manual}\n',
    );
    const made = await leave('gone');
    const erased = await world.app.api('POST', `/projects/${project.id}/jobs/${made.id}/erase`, {
      token: world.owner.token,
    });
    expect(erased.status).toBe(201);
    const use = await project.job(id, 'use');
    await world.app.api('POST', `/projects/${project.id}/jobs/${use.id}/play`, { token: world.owner.token });
    expect((await failed(project, id, 'use')).failure_reason).toBe('missing_dependency_failure');
  });
});

describe('a job that needs the pipeline of another project', () => {
  const bridge = (project: TestProject, id: number, status: string) =>
    eventually(`the mirror ${status}`, async () => {
      const found = await world.app.api<Json[]>('GET', `/projects/${project.id}/pipelines/${id}/bridges`, {
        token: world.owner.token,
      });
      return found.body[0]?.status === status && found.body[0];
    });

  it('ends as the latest one of its default branch ends', async () => {
    const [up, project] = [await world.project(), await world.project()];
    await up.push('work: {script: [x]}');
    const config = `mirror: {needs: {pipeline: $WHERE}, variables: {WHERE: ${up.path}}}\n`;
    const waiting = await project.push(config);
    await eventually('the pipeline that is followed', async () => {
      const row = await world.app.db
        .selectFrom('jobs')
        .select('upstream_pipeline_id')
        .where('pipeline_id', '=', waiting.id)
        .executeTakeFirst();
      return row?.upstream_pipeline_id;
    });
    await bridge(project, waiting.id, 'running');
    await runner.run('failed');
    await bridge(project, waiting.id, 'failed');
    await project.reaches(waiting.id, 'failed');
    await up.push('work: {script: [y]}');
    await runner.run();
    const after = await project.push(`${config}# again\n`);
    await project.reaches(after.id, 'success');
  });

  it('[security 19] fails where there is none that its user may see', async () => {
    const [empty, project] = [await world.project(), await world.project()];
    const stranger = await world.account();
    const hidden = await world.app.api<{ path_with_namespace: string }>('POST', '/projects', {
      token: stranger.token,
      json: { name: 'hidden', visibility: 'private' },
    });
    for (const path of [empty.path, hidden.body.path_with_namespace, 'not/there']) {
      const { id } = await project.push(`mirror: {needs: {pipeline: ${path}}}\n`);
      await project.reaches(id, 'failed');
    }
    const rows = await world.app.db
      .selectFrom('jobs')
      .select('failure_reason')
      .where('project_id', '=', project.id)
      .execute();
    expect(rows).toEqual(Array.from({ length: 3 }, () => ({ failure_reason: 'upstream_bridge_project_not_found' })));
  });
});
