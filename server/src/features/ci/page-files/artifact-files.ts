/**
 * `/-/jobs/N/artifacts/{download,browse,file,raw}` and `/-/jobs/artifacts/REF/...?job=NAME`: the addresses of artifacts that people
 * paste. The page of the files has another one, to which it is redirected.
 */
import { notFound } from '../../../kernel/http/errors.ts';
import type { PageFile, PageFileContext } from '../../../kernel/http/page-files.ts';
import { elsewhere } from '../../../kernel/http/route.ts';
import { artifactReading, sendArchive } from '../artifacts/reading.ts';
import { entryPath } from '../artifacts/store.ts';
import type { CiDependencies } from '../deps.ts';
import { projectUrl } from '../jobs/serialize.ts';
import type { WriteAccess } from '../jobs/write-access.ts';

const what = String.raw`(?:(?<plain>download|browse)|(?<kind>browse|file|raw)\/(?<path>.+))`;

export function artifactFiles(deps: CiDependencies, access: Pick<WriteAccess, 'requireRead'>): PageFile[] {
  const { find, archiveOf, fileOf, jobOfRef } = artifactReading(deps, access);

  async function jobOf({ subject, params, query }: PageFileContext) {
    if (params.job_id) return await find(subject, Number(params.job_id));
    if (typeof query.job !== 'string') throw notFound();
    return await jobOfRef(subject, params.ref ?? '', query.job);
  }

  async function handler(context: PageFileContext) {
    const { subject, caller, params, request } = context;
    const job = await jobOf(context);
    const archive = await archiveOf(subject, caller, job);
    const kind = params.plain || params.kind;
    if (kind === 'download') return await sendArchive(deps, archive, request.method === 'GET');
    const path = params.path ? entryPath(params.path.replace(/\/+$/, '')) : '';
    if (kind === 'raw') return await fileOf(archive, path);
    const directory = kind === 'file' ? path.split('/').slice(0, -1).join('/') : path;
    const search = new URLSearchParams({
      ...(directory === '' ? {} : { path: directory }),
      ...(kind === 'file' ? { file: path } : {}),
    });
    const page = `${projectUrl(deps, subject)}/-/jobs/${job.id}/artifacts/browse`;
    return elsewhere(search.size === 0 ? page : `${page}?${search}`);
  }

  const ability = 'read_artifacts' as const;
  return [
    {
      name: 'job-artifacts',
      // The page itself is left alone.
      pattern: new RegExp(String.raw`^jobs\/(?<job_id>[1-9]\d{0,14})\/artifacts\/(?!browse$)${what}$`),
      ability,
      handler,
    },
    {
      name: 'ref-artifacts',
      pattern: new RegExp(String.raw`^jobs\/artifacts\/(?<ref>.+?)\/${what}$`),
      ability,
      handler,
    },
  ];
}
