/** The branch or tag that somebody names for a new pipeline, and whether they may run one there. */
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { CiDependencies } from '../deps.ts';

export interface Reference {
  /** Full name. */
  readonly ref: string;
  readonly sha: string;
}

type Repository = Pick<CiDependencies, 'repository'>['repository'];

/** The branches and tags that a name may mean: a full name means one. */
const candidates = (name: string): readonly string[] =>
  /^refs\/(heads|tags)\//.test(name) ? [name] : [`refs/heads/${name}`, `refs/tags/${name}`];

/** The full ref and commit of a branch, a tag, or a full ref name; branches win over tags of the same name. */
export async function resolveReference(
  repository: Pick<Repository, 'resolve'>,
  subject: ProjectSubject,
  name: string,
): Promise<Reference | null> {
  for (const ref of candidates(name)) {
    const sha = await repository.resolve(subject.project, ref);
    if (sha !== null) return { ref, sha };
  }
  return null;
}

/** Whether there are a branch and a tag of this name. */
export async function isAmbiguous(
  repository: Pick<Repository, 'resolve'>,
  subject: ProjectSubject,
  name: string,
): Promise<boolean> {
  const found = await Promise.all(candidates(name).map((ref) => repository.resolve(subject.project, ref)));
  return found.filter((sha) => sha !== null).length > 1;
}

/** Whether the caller may run pipelines on the full ref: on a protected one only who may change it. */
export async function mayRunOn(
  repository: Pick<Repository, 'isProtected' | 'mayUpdate'>,
  subject: ProjectSubject,
  caller: Caller,
  ref: string,
): Promise<boolean> {
  return !(await repository.isProtected(subject.project, ref)) || (await repository.mayUpdate(subject, caller, ref));
}
