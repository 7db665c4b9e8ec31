/** Route of the artifacts that jobs expose in a merge request (`artifacts:expose_as`). */

import { ListOf } from '../../../kernel/http/entity.ts';
import { HttpError, recordNotFound } from '../../../kernel/http/errors.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { findArtifact } from '../artifacts/artifacts.queries.ts';
import { zipNames } from '../artifacts/store.ts';
import type { CiDependencies } from '../deps.ts';
import { projectUrl } from '../jobs/serialize.ts';
import type { WriteAccess } from '../jobs/write-access.ts';
import { mayFetch } from '../runner-protocol/needed-elsewhere.ts';
import { ExposedArtifact, exposedJson } from './exposed-artifacts.entity.ts';
import { exposingJobs } from './exposed-artifacts.queries.ts';
import { reportPath, reportRoute } from './reading.ts';

/** Links of one merge request, as in the ecosystem. */
const mostExposed = 10;

const trimmed = (path: string) => path.replace(/^(\.\/)+|\/+$/g, '');

/** What the first two paths that are in the archive name: a file by its path, a directory as null. */
function named(names: ReadonlySet<string>, paths: readonly string[]): (string | null)[] {
  const found: (string | null)[] = [];
  for (const path of paths.map(trimmed)) {
    if (names.has(path)) found.push(path);
    else if ([...names].some((name) => name.startsWith(`${path}/`))) found.push(null);
    if (found.length === 2) break;
  }
  return found;
}

export function exposedArtifactRoutes(deps: CiDependencies, rights: WriteAccess): Route[] {
  /** Of an archive that cannot be listed nothing is known. */
  async function filesOf(key: string): Promise<Set<string>> {
    try {
      return new Set((await zipNames(deps, key))?.map(({ path }) => path));
    } catch (error) {
      if (error instanceof HttpError && error.status === 422) return new Set();
      throw error;
    }
  }

  return [
    route({
      ...reportRoute,
      path: `${reportPath}/exposed_artifacts`,
      summary: 'List the artifacts that jobs of the head pipeline of a merge request expose',
      responses: { 200: ListOf(ExposedArtifact) },
      handler: async ({ subject, caller, params: { merge_request_iid: iid } }) => {
        requireOnProject(caller, 'read_pipeline', subject);
        const jobs = await exposingJobs(deps.db, subject.project.id, iid);
        if (!jobs) throw recordNotFound();
        const shown = [];
        for (const job of jobs) {
          if (shown.length === mostExposed) break;
          const archive = await findArtifact(deps.db, job.id, 'archive');
          if (!archive || !(await mayFetch(deps, rights, caller, job, archive))) continue;
          const found = named(await filesOf(archive.object_key), job.paths);
          // The pipeline of a fork's merge request may run in the fork.
          const place = await deps.parents.project(String(job.project_id), caller);
          if (found.length > 0 && place)
            shown.push(exposedJson(job, projectUrl(deps, place), found.length === 1 ? (found[0] ?? null) : null));
        }
        return shown;
      },
    }),
  ];
}
