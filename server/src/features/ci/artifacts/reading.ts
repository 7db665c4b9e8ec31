/** What the API and the addresses of pages have in common: who may read the archive of a job, and how it and its files are sent. */
import path from 'node:path';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Job, JobArtifact } from '../../../kernel/db/rows.ts';
import { attachment } from '../../../kernel/http/attachment.ts';
import { forbidden, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { type Answer, elsewhere, redirectSeconds, type Streamed, streamed } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { findJob } from '../jobs/jobs.queries.ts';
import type { WriteAccess } from '../jobs/write-access.ts';
import { findArtifact, findJobOfRef } from './artifacts.queries.ts';
import { zipEntry } from './store.ts';

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

export function artifactReading(deps: CiDependencies, writes: Pick<WriteAccess, 'requireRead'>) {
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

  return { find, archiveOf, fileOf, jobOfRef };
}
