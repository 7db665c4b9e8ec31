/** Taking artifacts in from runners: size limits, expiry, dotenv reports. */
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { parseDotenv } from '@millrace/ci-config';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Job } from '../../../kernel/db/rows.ts';
import { badRequest, HttpError, invalidRecord } from '../../../kernel/http/errors.ts';
import type { UploadedFile } from '../../../kernel/http/params/nested.ts';
import type { CiDependencies } from '../deps.ts';
import type { JobPlan } from '../jobs/plan.ts';
import { forgetObject } from '../traces/traces.queries.ts';
import { sealed } from '../variables/sealing.ts';
import { insertArtifact, maximumOfProject, setArtifactsExpiry, setDotenv } from './artifacts.queries.ts';
import { durationSeconds } from './duration.ts';
import { artifactFormats } from './types.ts';
import { artifactRoom, lockForArtifacts } from './usage.queries.ts';
import { archiveProblem } from './zip-names.ts';

/** Whether a report that is compressed otherwise may come as it is: variables are always read compressed. */
const rawToo = (type: string, format: string) =>
  format === 'raw' && artifactFormats[type] === 'gzip' && type !== 'dotenv' && type !== 'metadata';

/** Bytes of one report. */
const maxReportBytes = 100 * 1024 * 1024;

export interface Upload {
  readonly job: Job;
  readonly file: UploadedFile;
  readonly type: string;
  readonly format: string | undefined;
  /** As the runner repeats it from the job. */
  readonly expireIn: string | undefined;
}

/** Unpacks the beginning of a report: more than the limit is never kept. */
async function gunzipStart(file: string, limit: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  const source = createReadStream(file);
  const unpacked = source.pipe(createGunzip());
  source.once('error', (error) => unpacked.destroy(error));
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) break;
    }
  } catch {
    return null;
  } finally {
    source.destroy();
  }
  return Buffer.concat(chunks).toString('utf8');
}

export type Artifacts = ReturnType<typeof artifactsService>;

export function artifactsService(deps: CiDependencies) {
  /** When artifacts of a job that ends now expire; null for never. */
  async function expiry(text: string | undefined): Promise<Date | null> {
    const settings = await deps.settings.read();
    const seconds = durationSeconds(text ?? settings.default_artifacts_expire_in);
    if (seconds === null) throw badRequest('expire_in is not a duration');
    return seconds === 0 ? null : new Date(Date.now() + seconds * 1000);
  }

  /** Bytes that an upload of the type may have: what the project says, else the nearest group above it, else the instance. */
  async function maxBytes(type: string, projectId: number): Promise<number> {
    const settings = await deps.settings.read();
    const archive = ((await maximumOfProject(deps.db, projectId)) ?? settings.max_artifacts_size) * 1024 * 1024;
    return type === 'archive' ? archive : Math.min(archive, maxReportBytes);
  }

  async function dotenvOf(file: UploadedFile): Promise<Buffer> {
    const { dotenv_size: bytes, dotenv_variables: variables } = await deps.settings.read();
    const text = await gunzipStart(file.path, bytes);
    const limits = { bytes, variables };
    const parsed = text === null ? ({ ok: false, reason: 'not a gzip file' } as const) : parseDotenv(text, limits);
    if (!parsed.ok) throw badRequest(parsed.reason);
    return deps.secrets.seal(JSON.stringify(parsed.variables), sealed.dotenv);
  }

  /** 413 for what the project has no room for; true when there is a quota. */
  async function requireRoom(handle: Db, projectId: number, bytes: number): Promise<boolean> {
    const room = await artifactRoom(handle, projectId);
    if (room && bytes > room.left)
      throw new HttpError(413, {
        message: `413 Request Entity Too Large - the artifacts of the project exceed artifacts_quota, ${room.quota} bytes: ${room.left} are left`,
      });
    return room !== null;
  }

  /** Keeps an uploaded file as an artifact of the job. */
  async function store({ job, file, type, format, expireIn }: Upload): Promise<void> {
    const known = artifactFormats[type];
    if (known === undefined || type === 'trace') throw invalidRecord({ artifact_type: [`${type} is not supported`] });
    if (format !== undefined && format !== known && !rawToo(type, format))
      throw invalidRecord({ artifact_format: [`${format} is not the format of ${type}`] });
    const plan = job.plan as unknown as JobPlan;
    const limited = await requireRoom(deps.db, job.project_id, file.size);
    const problem = type === 'archive' ? await archiveProblem(file.path) : null;
    if (problem !== null) throw badRequest(problem);
    const dotenv = type === 'dotenv' ? await dotenvOf(file) : null;
    const expireAt = await expiry(expireIn ?? plan.artifacts?.expire_in ?? undefined);
    const object = await deps.objects.putFile(file.path, { size: file.size, sha256: file.sha256 });
    const keep = async (tx: Db) => {
      if (limited) {
        await lockForArtifacts(tx, job.project_id);
        await requireRoom(tx, job.project_id, file.size);
      }
      const stored = await insertArtifact(tx, {
        jobId: job.id,
        projectId: job.project_id,
        fileType: type,
        fileFormat: format ?? known,
        filename: file.filename.slice(-255),
        size: object.size,
        sha256: object.sha256,
        objectKey: object.key,
        accessibility: plan.artifacts?.access ?? 'all',
        expireAt,
      });
      if (!stored) {
        await forgetObject(tx, object.key);
        return;
      }
      if (type === 'archive') await setArtifactsExpiry(tx, job.id, expireAt);
      if (dotenv) await setDotenv(tx, job.id, dotenv);
      await deps.announce(tx, `job:${job.id}`);
    };
    try {
      await transaction(deps.db, keep);
    } catch (error) {
      await deps.objects.remove(object.key);
      throw error;
    }
  }

  return { store, maxBytes };
}
