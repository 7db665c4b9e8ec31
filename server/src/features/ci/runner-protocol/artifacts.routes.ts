/** Artifacts to and from runners, with the token of the running job. */
import Type from 'typebox';
import { Entity, Text } from '../../../kernel/http/entity.ts';
import { badRequest, forbidden, notFound, tooLarge } from '../../../kernel/http/errors.ts';
import { readBody } from '../../../kernel/http/params/body.ts';
import { defaultParameterLimits, isFile } from '../../../kernel/http/params/nested.ts';
import { Bool, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Binary, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';
import { findArtifact } from '../artifacts/artifacts.queries.ts';
import type { Artifacts } from '../artifacts/artifacts.service.ts';
import { sendArchive } from '../artifacts/reading.ts';
import type { CiDependencies } from '../deps.ts';
import { jobCaller } from '../jobs/job-caller.ts';
import { findJobById } from '../jobs/jobs.queries.ts';
import type { WriteAccess } from '../jobs/write-access.ts';
import { jobTokenOf, runningJob } from './job-access.ts';
import { mayFetch } from './needed-elsewhere.ts';

const tag = 'Runner protocol';
/** Bytes of the fields next to the file. */
const maxParameterBytes = 64 * 1024;

export function runnerArtifactRoutes(deps: CiDependencies, artifacts: Artifacts, writes: WriteAccess): Route[] {
  const { db } = deps;
  return [
    route({
      method: 'POST',
      path: '/jobs/:id/artifacts',
      summary: 'Upload an artifact of a running job, as its runner',
      rate: 'runner_jobs_api',
      tag,
      credentials: ['body'],
      access: { on: 'credential' },
      // The token is looked at before anything is written.
      rawBody: 'multipart/form-data',
      params: Type.Object({
        id: Int({ description: 'Id of the job' }),
        token: Optional(Str({ description: "The job's token; also as the header `JOB-TOKEN`" })),
        expire_in: Optional(
          Str({
            description: 'How long the file is kept, such as `1 week`; the default of the instance when left out',
          }),
        ),
        artifact_type: Optional(
          Str({
            default: 'archive',
            description: 'What the file is: `archive`, `metadata`, `trace`, or a kind of report',
          }),
        ),
        artifact_format: Optional(Str({ description: 'How the file is packed: `zip`, `gzip` or `raw`' })),
      }),
      responses: { 201: Entity('ArtifactStored', { message: Text() }) },
      handler: async ({ params, given, request }) => {
        const job = await runningJob(db, params.id, jobTokenOf(request, params.token));
        // Runners name the kind in the address. Where they do not, it may stand beside the file, known once that is read.
        const named = given.artifact_type === undefined ? undefined : params.artifact_type;
        const limitOf = async (type: string) => ({
          maxFileBytes: await artifacts.maxBytes(type, job.project_id),
          fileLimitName: type === 'archive' ? 'max_artifacts_size' : 'max_report_bytes',
        });
        const limits = {
          ...defaultParameterLimits,
          maxParameterBytes,
          maxFiles: 1,
          ...(await limitOf(named ?? 'archive')),
        };
        const body = await readBody(request.raw, limits, deps.objects.temporary);
        try {
          const file = body.tree.file;
          if (!isFile(file)) throw badRequest('file is missing');
          const beside = (name: string) => {
            const value = body.tree[name];
            return typeof value === 'string' && value !== '' ? value : undefined;
          };
          const type = named ?? beside('artifact_type') ?? 'archive';
          const { maxFileBytes, fileLimitName } = await limitOf(type);
          if (file.size > maxFileBytes) throw tooLarge(fileLimitName, maxFileBytes);
          await artifacts.store({
            job,
            file,
            type,
            format: params.artifact_format ?? beside('artifact_format'),
            expireIn: (params.expire_in ?? beside('expire_in')) || undefined,
          });
        } finally {
          await body.cleanup();
        }
        return { message: '201 Created' };
      },
    }),
    route({
      method: 'GET',
      path: '/jobs/:id/artifacts',
      summary: 'Download the archive of another job, as a runner',
      rate: 'runner_jobs_api',
      tag,
      credentials: ['body'],
      access: { on: 'credential' },
      params: Type.Object({
        id: Int({ description: 'Id of the job' }),
        token: Optional(Str({ description: "The job's token; also as the header `JOB-TOKEN`" })),
        direct_download: Optional(Bool({ description: 'Answer with a redirect where the store allows it' })),
      }),
      responses: { 200: Binary, 302: Empty },
      media: ['application/zip'],
      handler: async ({ params, request }) => {
        const token = jobTokenOf(request, params.token);
        const caller = token === undefined ? null : await jobCaller(db, tokenHash(token));
        if (caller?.credential.kind !== 'job') throw forbidden();
        const job = await findJobById(db, params.id);
        const artifact = job && (await findArtifact(db, job.id, 'archive'));
        if (!artifact) throw notFound();
        // Jobs of projects that the job may not reach are not even known to exist.
        const own = job.project_id === caller.credential.job.project_id;
        if (!own && !(await mayFetch(deps, writes, caller, job, artifact))) throw notFound();
        return await sendArchive(deps, artifact, params.direct_download === true && request.method === 'GET');
      },
    }),
  ];
}
