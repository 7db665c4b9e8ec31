/** Caches of jobs: listed and deleted by maintainers, saved and restored by the runners of jobs. */
import Type from 'typebox';
import { entityOfPlace, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { Job } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { badRequest, forbidden, notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { readBody } from '../../../kernel/http/params/body.ts';
import { defaultParameterLimits, isFile } from '../../../kernel/http/params/nested.ts';
import { IdOrPath, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Binary, Empty, type Route, route, streamed } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { jobTokenOf, runningJob } from '../runner-protocol/job-access.ts';
import { JobCacheEntity, JobCacheStatistics, jobCacheJson, jobCacheStatistics } from './caches.entity.ts';
import {
  cacheTotals,
  clearCaches,
  deleteCache,
  evictCaches,
  findCache,
  listCaches,
  saveCache,
  separatesCaches,
  useCache,
} from './caches.queries.ts';
import { separatedEnding } from './keys.ts';

const base = '/projects/:id/ci/caches';
const id = IdOrPath('Id or path of the project');
const admin = {
  tag: 'Job caches',
  credentials: ['token', 'session'],
  access: { on: 'project', ability: 'update_project' },
} as const;
const ofJob = {
  path: '/jobs/:id/cache',
  rate: 'runner_jobs_api',
  tag: 'Runner protocol',
  credentials: ['body'],
  access: { on: 'credential' },
} as const;
const jobParams = {
  id: Int({ description: 'Id of the job' }),
  token: Optional(Str({ description: "The job's token; also as the header `JOB-TOKEN`" })),
  key: Str({ minLength: 1, maxLength: 1024, description: 'Key of the cache, with its variables replaced' }),
};
const maxParameterBytes = 64 * 1024;
/** Keys of one project. */
const mostCaches = 1000;

export function cacheRoutes(deps: CiDependencies): Route[] {
  const { db, cacheLimits } = deps;

  /** A job of another ref must not plant anything in the caches of protected ones, nor look at them. */
  async function requireKey(job: Job, key: string): Promise<void> {
    if (job.ref_protected || !key.endsWith(separatedEnding(true))) return;
    if (await separatesCaches(db, job.project_id)) throw forbidden();
  }

  async function find({ project }: ProjectSubject, number: number) {
    const row = await findCache(db, project.id, number);
    if (!row) throw notFound();
    return row;
  }

  return [
    route({
      ...admin,
      method: 'GET',
      path: base,
      summary: 'List job caches of a project',
      params: Type.Object({ id }),
      pagination: 'offset',
      responses: { 200: ListOf(JobCacheEntity) },
      handler: async ({ subject, page }) => {
        const { rows, total } = await listCaches(db, subject.project.id, page);
        return mapPage(offsetPage(page, rows, total), jobCacheJson);
      },
    }),
    route({
      ...admin,
      method: 'GET',
      path: `${base}/statistics`,
      summary: 'Get size and hit rate of the job caches of a project',
      params: Type.Object({ id }),
      responses: { 200: JobCacheStatistics },
      handler: async ({ subject }) =>
        jobCacheStatistics(await cacheTotals(db, subject.project.id), cacheLimits.maxProjectCacheBytes),
    }),
    route({
      ...admin,
      method: 'DELETE',
      path: `${base}/:cache_id`,
      summary: 'Delete a job cache of a project',
      params: Type.Object({ id, cache_id: Int({ description: 'Id of the cache' }) }),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const row = await find(context.subject, context.params.cache_id);
        context.unmodifiedSince(row.updated_at);
        await transaction(db, async (tx) => {
          if (!(await deleteCache(tx, row.id))) throw notFound();
          await recordAudit(tx, {
            ...originOf(context),
            entity: entityOfPlace(context.subject),
            event: 'job_cache_deleted',
            details: {},
            target: { type: 'JobCache', id: row.id, details: row.key },
          });
        });
      },
    }),
    route({
      ...admin,
      method: 'DELETE',
      path: base,
      summary: 'Clear all job caches of a project',
      params: Type.Object({ id }),
      responses: { 204: Empty },
      conditional: 'All caches of a project have no common date of change.',
      handler: async (context) => {
        await transaction(db, async (tx) => {
          const deleted = await clearCaches(tx, context.subject.project.id);
          await recordAudit(tx, {
            ...originOf(context),
            entity: entityOfPlace(context.subject),
            event: 'job_caches_cleared',
            details: { deleted },
          });
        });
      },
    }),
    route({
      ...ofJob,
      method: 'GET',
      summary: 'Download a cache, as the runner of a job',
      params: Type.Object(jobParams),
      responses: { 200: Binary },
      media: ['application/zip'],
      handler: async ({ params, request }) => {
        const job = await runningJob(db, params.id, jobTokenOf(request, params.token));
        await requireKey(job, params.key);
        const found = await transaction(db, async (tx) => useCache(tx, job.project_id, params.key));
        if (!found || !(await deps.objects.exists(found.object_key))) throw notFound();
        return streamed(async () => deps.objects.get(found.object_key), 'application/zip', {
          'Content-Length': String(found.size),
          'Cache-Control': 'no-store',
        });
      },
    }),
    route({
      ...ofJob,
      method: 'POST',
      summary: 'Upload a cache, as the runner of a job',
      // The token is looked at before anything is written.
      rawBody: 'multipart/form-data',
      params: Type.Object(jobParams),
      responses: { 204: Empty },
      handler: async ({ params, request }) => {
        const job = await runningJob(db, params.id, jobTokenOf(request, params.token));
        await requireKey(job, params.key);
        const maxFileBytes = cacheLimits.maxCacheBytes;
        const fileLimitName = 'max_cache_bytes';
        const limits = { ...defaultParameterLimits, maxParameterBytes, maxFileBytes, maxFiles: 1, fileLimitName };
        const body = await readBody(request.raw, limits, deps.objects.temporary);
        try {
          const file = body.tree.file;
          if (!isFile(file)) throw badRequest('file is missing');
          const object = await deps.objects.putFile(file.path, { size: file.size, sha256: file.sha256 });
          const { project_id: projectId, ref_protected } = job;
          await transaction(db, async (tx) => {
            const content = { protected: ref_protected, objectKey: object.key, size: object.size };
            await saveCache(tx, { projectId, key: params.key, ...content });
            await evictCaches(tx, projectId, { bytes: cacheLimits.maxProjectCacheBytes, count: mostCaches });
          });
        } finally {
          await body.cleanup();
        }
      },
    }),
  ];
}
