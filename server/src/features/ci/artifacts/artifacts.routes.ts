/** Downloading artifacts, keeping and deleting them. */
import Type from 'typebox';
import { transaction } from '../../../kernel/db/index.ts';
import { Entity, ListOf, Text } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { slicePage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Binary, Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { JobEntity } from '../jobs/jobs.entity.ts';
import { presentJob } from '../jobs/serialize.ts';
import type { WriteAccess } from '../jobs/write-access.ts';
import { deleteArtifactsOf, expireAll, findArtifact, keepArtifacts } from './artifacts.queries.ts';
import { artifactReading, sendArchive } from './reading.ts';
import { entryPath, zipNames } from './store.ts';
import { ArtifactEntry, treeOf } from './tree.ts';

const tag = 'Job artifacts';
const credentials = ['token', 'session', 'job'] as const;
const id = IdOrPath('Id or path of the project');
const jobId = Int({ description: 'Id of the job' });
const jobToken = Optional(Str({ description: 'Token of a running job; read as a credential' }));
const access = { on: 'project', ability: 'read_artifacts' } as const;
const refName = Str({ description: 'Branch or tag' });
const jobName = Str({ description: 'Name of the job' });
const inArchive = Str({ description: 'Path inside the archive' });
const ofJob = '/projects/:id/jobs/:job_id/artifacts';
const ofRef = '/projects/:id/jobs/artifacts/:ref_name';

const ExpiryAccepted = Entity('ArtifactExpiryAccepted', { message: Text() });

export function artifactRoutes(deps: CiDependencies, writes: WriteAccess): Route[] {
  const { db } = deps;
  const { find, archiveOf, fileOf, jobOfRef } = artifactReading(deps, writes);

  return [
    route({
      method: 'GET',
      path: ofJob,
      summary: 'Download the archive of a job',
      tag,
      credentials,
      access,
      params: Type.Object({ id, job_id: jobId, job_token: jobToken }),
      responses: { 200: Binary, 302: Empty },
      media: ['application/zip'],
      handler: async ({ subject, caller, params, request }) => {
        const artifact = await archiveOf(subject, caller, await find(subject, params.job_id));
        return await sendArchive(deps, artifact, request.method === 'GET');
      },
    }),
    route({
      method: 'GET',
      path: `${ofRef}/download`,
      summary: 'Download the archive of the latest successful pipeline of a ref',
      tag,
      credentials,
      access,
      params: Type.Object({ id, ref_name: refName, job: jobName, job_token: jobToken }),
      responses: { 200: Binary, 302: Empty },
      media: ['application/zip'],
      handler: async ({ subject, caller, params, request }) => {
        const job = await jobOfRef(subject, params.ref_name, params.job);
        return await sendArchive(deps, await archiveOf(subject, caller, job), request.method === 'GET');
      },
    }),
    route({
      method: 'GET',
      path: `${ofJob}/tree`,
      summary: 'List files and directories in the archive of a job',
      tag,
      credentials,
      access,
      pagination: 'offset',
      params: Type.Object({
        id,
        job_id: jobId,
        path: Optional(Str({ maxLength: 4096, description: 'Directory inside the archive; its root when left out' })),
        recursive: Optional(Bool({ default: false, description: 'Everything below the directory' })),
        job_token: jobToken,
      }),
      responses: { 200: ListOf(ArtifactEntry) },
      errors: [422],
      handler: async ({ subject, caller, params, page }) => {
        const artifact = await archiveOf(subject, caller, await find(subject, params.job_id));
        const names = await zipNames(deps, artifact.object_key);
        const entries = names && treeOf(names, params.path ?? '', params.recursive ?? false);
        if (!entries) throw notFound();
        return slicePage(page, entries);
      },
    }),
    route({
      method: 'GET',
      path: `${ofJob}/*`,
      summary: 'Download one file out of the archive of a job',
      tag,
      credentials,
      access,
      params: Type.Object({ id, job_id: jobId, path: inArchive, job_token: jobToken }),
      responses: { 200: Binary },
      errors: [422],
      media: ['application/octet-stream'],
      handler: async ({ subject, caller, params }) => {
        const inside = entryPath(params.path);
        return await fileOf(await archiveOf(subject, caller, await find(subject, params.job_id)), inside);
      },
    }),
    route({
      method: 'GET',
      path: `${ofRef}/raw/*`,
      summary: 'Download one file of the latest successful pipeline of a ref',
      tag,
      credentials,
      access,
      params: Type.Object({ id, ref_name: refName, path: inArchive, job: jobName, job_token: jobToken }),
      responses: { 200: Binary },
      errors: [422],
      media: ['application/octet-stream'],
      handler: async ({ subject, caller, params }) => {
        const inside = entryPath(params.path);
        const job = await jobOfRef(subject, params.ref_name, params.job);
        return await fileOf(await archiveOf(subject, caller, job), inside);
      },
    }),
    route({
      method: 'POST',
      path: `${ofJob}/keep`,
      summary: 'Keep the artifacts of a job from expiring',
      tag,
      credentials,
      access: { on: 'project', ability: 'keep_artifacts' },
      params: Type.Object({ id, job_id: jobId }),
      responses: { 200: JobEntity },
      handler: async ({ subject, caller, params }) => {
        const job = await find(subject, params.job_id);
        await writes.requireWrite(subject, caller, job);
        if (!(await findArtifact(db, job.id, 'archive'))) throw notFound();
        await transaction(db, async (tx) => keepArtifacts(tx, job.id));
        return { ...(await presentJob(deps, subject, await find(subject, job.id))), download_url: null };
      },
    }),
    route({
      method: 'DELETE',
      path: ofJob,
      summary: 'Delete the artifacts of a job',
      tag,
      credentials,
      access: { on: 'project', ability: 'remove_artifacts' },
      params: Type.Object({ id, job_id: jobId }),
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ subject, caller, params, unmodifiedSince }) => {
        const job = await find(subject, params.job_id);
        await writes.requireWrite(subject, caller, job);
        unmodifiedSince((await findArtifact(db, job.id, 'archive'))?.created_at ?? null);
        await transaction(db, async (tx) => deleteArtifactsOf(tx, job.id));
      },
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/artifacts',
      summary: 'Expire all artifacts of a project that can be deleted',
      tag,
      credentials,
      access: { on: 'project', ability: 'remove_artifacts' },
      params: Type.Object({ id }),
      responses: { 202: ExpiryAccepted },
      conditional: 'Many artifacts of many dates expire; none is the resource that the client read.',
      handler: async ({ subject }) => {
        const settings = await deps.settings.read();
        const keep = settings.keep_latest_artifact && subject.project.keep_latest_artifact;
        await transaction(db, async (tx) => expireAll(tx, subject.project.id, keep));
        return { message: '202 Accepted' };
      },
    }),
  ];
}
