/** Projects as JSON with everything that belongs to it, one project or a page. */
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { findReferences, type ReferenceRow, userReference } from '../../identity/index.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { artifactSizes, findSharedGroups } from './extras.queries.ts';
import type { BasicProjectJson, ProjectJson, ProjectStatistics, SharedGroup } from './projects.entity.ts';
import { basicProjectJson, projectJson } from './projects.json.ts';

export interface PresentOptions {
  /** The short form; anonymous callers never get another. */
  readonly simple?: boolean | undefined;
  /** Sizes, for those who have at least the role of a reporter. */
  readonly statistics?: boolean | undefined;
}

export type PresentProjects = (
  subjects: readonly ProjectSubject[],
  caller: Caller,
  options?: PresentOptions,
) => Promise<Array<ProjectJson | BasicProjectJson>>;

/** Features without storage of their own yet have used none. */
function statisticsOf({ project }: ProjectSubject, artifacts: number): ProjectStatistics {
  return {
    commit_count: project.commit_count,
    storage_size: project.repository_size + artifacts,
    repository_size: project.repository_size,
    wiki_size: 0,
    lfs_objects_size: 0,
    job_artifacts_size: artifacts,
    pipeline_artifacts_size: 0,
    packages_size: 0,
    snippets_size: 0,
    uploads_size: 0,
  };
}

export function projectPresenter(deps: NamespacesDependencies): PresentProjects {
  const { db, externalUrl } = deps;
  const readme = async ({ project }: ProjectSubject) =>
    project.refs_generation === 0 ? null : await deps.repository.readmePath(project);

  /** Owners of personal namespaces; the caller, who is most often the one, is at hand. */
  async function ownersOf(subjects: readonly ProjectSubject[], caller: Caller): Promise<Map<number, ReferenceRow>> {
    const ids = subjects.flatMap(({ namespace }) => (namespace.kind === 'user' ? (namespace.owner_id ?? []) : []));
    const others = ids.filter((id) => id !== caller.user?.id);
    const found = others.length === 0 ? new Map<number, ReferenceRow>() : await findReferences(db, others);
    if (caller.user) found.set(caller.user.id, caller.user);
    return found;
  }

  return async (subjects, caller, options = {}) => {
    if (subjects.length === 0) return [];
    if (options.simple || caller.user === null) {
      return await Promise.all(
        subjects.map(async (subject) => basicProjectJson(subject, caller, deps, await readme(subject))),
      );
    }
    const ids = subjects.map(({ project }) => project.id);
    const shared = subjects.filter(({ parts }) => parts?.shared !== false).map(({ project }) => project.id);
    const [owners, groups, sizes] = await Promise.all([
      ownersOf(subjects, caller),
      shared.length === 0 ? new Map<number, SharedGroup[]>() : findSharedGroups(db, shared),
      options.statistics ? artifactSizes(db, ids) : null,
    ]);
    return await Promise.all(
      subjects.map(async (subject) => {
        const { project, namespace, parts } = subject;
        const owner = namespace.kind === 'user' ? owners.get(namespace.owner_id ?? 0) : undefined;
        const sized = sizes !== null && (caller.admin || subject.level >= Level.reporter);
        return projectJson(subject, caller, deps, {
          readmePath: await readme(subject),
          projectAccess: parts?.project ?? null,
          groupAccess: parts?.group ?? null,
          sharedWith: groups.get(project.id) ?? [],
          owner: owner ? userReference(owner, externalUrl) : null,
          statistics: sized ? statisticsOf(subject, sizes.get(project.id) ?? 0) : null,
        });
      }),
    );
  };
}
