/** Artifacts that a job needs of other pipelines: of other projects and refs, and of the family of its own pipeline. */
import { expandVariables, type Variable } from '@millrace/ci-config';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Job, JobArtifact } from '../../../kernel/db/rows.ts';
import { findArtifact, newestSuccess, successIn } from '../artifacts/artifacts.queries.ts';
import { mayDownload } from '../artifacts/reading.ts';
import type { CiDependencies } from '../deps.ts';
import { familyOf, rootOf } from '../downstream/sources.queries.ts';
import type { PlanNeedElsewhere } from '../jobs/plan.ts';
import type { WriteAccess } from '../jobs/write-access.ts';

type Source = NonNullable<Awaited<ReturnType<typeof successIn>>>;
export interface NeededElsewhere {
  readonly id: number;
  readonly name: string;
  readonly dotenv_encrypted: Buffer | null;
  readonly archive: JobArtifact | null;
}

/** Whether a job may have what another one left: by its user's role, and where that is elsewhere by the token's scope. */
export async function mayFetch(
  { parents }: Pick<CiDependencies, 'parents'>,
  writes: WriteAccess,
  caller: Caller,
  source: Pick<Source, 'project_id' | 'pipeline_id' | 'ref' | 'tag' | 'ref_protected' | 'debug_trace'>,
  archive: JobArtifact | null,
): Promise<boolean> {
  const subject = await parents.project(String(source.project_id), caller);
  if (!subject || !canOnProject(caller, 'read_artifacts', subject)) return false;
  if (archive !== null && !mayDownload(subject, caller, archive)) return false;
  return await writes.mayRead(subject, caller, source);
}

/** The jobs in the order in which they are needed; null when one is not there, or not for this job. */
export async function neededElsewhere(
  deps: Pick<CiDependencies, 'db' | 'parents'>,
  writes: WriteAccess,
  { job, caller }: { readonly job: Pick<Job, 'pipeline_id'>; readonly caller: Caller | null },
  needs: readonly PlanNeedElsewhere[],
  variables: readonly Variable[],
): Promise<NeededElsewhere[] | null> {
  const { db, parents } = deps;
  const expand = (text: string) => expandVariables(text, variables);
  let family: Promise<number[]> | undefined;

  async function find(need: PlanNeedElsewhere, of: Caller): Promise<Source | undefined> {
    const name = expand(need.job);
    if (need.kind === 'pipeline') {
      const id = Number(expand(need.pipeline));
      family ??= rootOf(db, job.pipeline_id).then((root) => familyOf(db, root));
      return (await family).includes(id) ? await successIn(db, id, name) : undefined;
    }
    const subject = await parents.project(expand(need.project).replace(/^\/+/, ''), of);
    // Looked for only where it may be found: nothing is learned of what is there.
    if (!subject || !canOnProject(of, 'read_artifacts', subject)) return undefined;
    return await newestSuccess(db, subject.project.id, expand(need.ref), name);
  }

  const found: NeededElsewhere[] = [];
  for (const need of needs) {
    const source = caller && (await find(need, caller));
    if (!source) return null;
    const archive = (await findArtifact(db, source.id, 'archive')) ?? null;
    if (!(await mayFetch(deps, writes, caller, source, archive))) return null;
    found.push({ id: source.id, name: source.name, dotenv_encrypted: source.dotenv_encrypted, archive });
  }
  return found;
}
