/** Refs of pipelines: their names, the branch or tag that somebody names for a new one, and whether they may run one there. */
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { CiDependencies } from '../deps.ts';

export interface Reference {
  /** Full name. */
  readonly ref: string;
  readonly sha: string;
}

/** What a name means. */
export interface Resolved extends Reference {
  /** There is a branch as well as a tag of this name. */
  readonly ambiguous: boolean;
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
): Promise<Resolved | null> {
  const asked = await Promise.all(
    candidates(name).map(async (ref) => ({ ref, sha: await repository.resolve(subject.project, ref) })),
  );
  const found = asked.flatMap(({ ref, sha }) => (sha === null ? [] : [{ ref, sha }]));
  const [first, ...others] = found;
  return first ? { ...first, ambiguous: others.length > 0 } : null;
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

/** Why somebody may not run pipelines there, in the ecosystem's words. */
export const mayNotRunOn = (ref: string): string =>
  `You do not have sufficient permission to run a pipeline on '${shortRef(ref).name}'. Please select a different branch or contact your administrator for assistance.`;

/** The short name of a branch or tag; the full ref of what has none. */
export function shortRef(ref: string): { name: string; tag: boolean; branch: boolean } {
  const match = /^refs\/(heads|tags)\/(.+)$/.exec(ref);
  if (!match) return { name: ref, tag: false, branch: false };
  return { name: match[2] ?? '', tag: match[1] === 'tags', branch: match[1] === 'heads' };
}

/** The ref that the pipeline of a merge request is of: its own, and in a fork the source branch, as it has no other there. */
export const refOfRequest = (
  request: { readonly iid: number; readonly project_id: number; readonly source_branch: string },
  projectId: number,
): string =>
  projectId === request.project_id ? `refs/merge-requests/${request.iid}/head` : `refs/heads/${request.source_branch}`;

/** The refs of merges that pipelines test: a request's with its target, and its place in a merge train. */
export const mergedRef = (iid: number): string => `refs/merge-requests/${iid}/merge`;
export const trainRef = (iid: number): string => `refs/merge-requests/${iid}/train`;

/** The ref of what is stored by its short name. */
export const fullRef = ({ ref, tag }: { readonly ref: string; readonly tag: boolean }): string =>
  `refs/${tag ? 'tags' : 'heads'}/${ref}`;
