/** Downloading artifacts, keeping and deleting them. */
import path from 'node:path';
import Type from 'typebox';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { Job, JobArtifact } from '../../../kernel/db/rows.ts';
import { attachment } from '../../../kernel/http/attachment.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { slicePage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import {
  type Answer,
  answer,
  Binary,
  Empty,
  elsewhere,
  type Route,
  redirectSeconds,
  route,
  type Streamed,
  streamed,
} from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { JobEntity } from '../jobs/jobs.entity.ts';
import { findJob } from '../jobs/jobs.queries.ts';
import { presentJob } from '../jobs/serialize.ts';
import type { WriteAccess } from '../jobs/write-access.ts';
import { deleteArtifactsOf, expireAll, findArtifact, findJobOfRef, keepArtifacts } from './artifacts.queries.ts';
import { entryPath, zipEntry, zipNames } from './store.ts';
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

/** Nothing of what a job made is shown as a page of this site. */
const inert = (filename: string) => ({
  'Content-Disposition': attachment(filename),
  'Content-Security-Policy': "sandbox; default-src 'none'",
});

/** Whether the job lets this caller have its artifacts: `none` and roles are set by the configuration. */
export function mayDownload(subject: ProjectSubject, caller: Caller, artifact: JobArtifact): boolean {
  if (caller.admin) return true;
  switch (artifact.accessibility) {
    case 'all':
    case 'public':
      return true;
    case 'developer':
    case 'private':
      return subject.level >= Level.developer;
    case 'maintainer':
      return subject.level >= Level.maintainer;
    default:
      return false;
  }
}

/** The archive as a download; `direct` when the client may be sent to the object storage. */
export async function sendArchive(
  { objects }: Pick<CiDependencies, 'objects'>,
  { object_key: key, filename, sha256, size }: JobArtifact,
  direct: boolean,
): Promise<Streamed | Answer> {
  if (!(await objects.exists(key))) throw notFound();
  const type = 'application/zip';
  const address = direct
    ? await objects.signedUrl(key, { seconds: redirectSeconds, filename, contentType: type })
    : null;
  if (address !== null) return elsewhere(address);
  return streamed(async () => objects.get(key), type, {
    ETag: `"${sha256.toString('hex')}"`,
    ...inert(filename),
    'Content-Length': String(size),
  });
}

export function artifactRoutes(deps: CiDependencies, writes: WriteAccess): Route[] {
  const { db } = deps;

  async function find(subject: ProjectSubject, number: number): Promise<Job> {
    const job = await findJob(db, subject.project.id, number);
    if (!job) throw notFound();
    return job;
  }

  async function archiveOf(subject: ProjectSubject, caller: Caller, job: Job): Promise<JobArtifact> {
    const artifact = await findArtifact(db, job.id, 'archive');
    if (!artifact) throw notFound();
    if (!mayDownload(subject, caller, artifact)) throw caller.user === null ? unauthorized() : forbidden();
    await writes.requireRead(subject, caller, job);
    return artifact;
  }

  async function fileOf(artifact: JobArtifact, inside: string): Promise<Streamed> {
    const entry = await zipEntry(deps, artifact.object_key, inside);
    if (!entry) throw notFound();
    return streamed(entry.stream, 'application/octet-stream', {
      ...inert(path.posix.basename(inside)),
      'Content-Length': String(entry.size),
    });
  }

  async function jobOfRef(subject: ProjectSubject, ref: string, name: string): Promise<Job> {
    const job = await findJobOfRef(db, subject.project.id, ref, name);
    if (!job) throw notFound();
    return job;
  }

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
      responses: { 202: Empty },
      conditional: 'Many artifacts of many dates expire; none is the resource that the client read.',
      handler: async ({ subject }) => {
        const settings = await deps.settings.read();
        const keep = settings.keep_latest_artifact && subject.project.keep_latest_artifact;
        await transaction(db, async (tx) => expireAll(tx, subject.project.id, keep));
        return answer(202);
      },
    }),
  ];
}
