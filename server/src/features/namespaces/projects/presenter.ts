/** Projects as JSON with everything that belongs to it, one project or a page. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { findReferences, type ReferenceRow, userReference } from '../../identity/index.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { findProjectSubjects, findSharedGroups, type StoredSizes, storedSizes } from './extras.queries.ts';
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
function statisticsOf({ project }: ProjectSubject, { artifacts, uploads }: StoredSizes): ProjectStatistics {
  return {
    commit_count: project.commit_count,
    storage_size: project.repository_size + artifacts + uploads,
    repository_size: project.repository_size,
    wiki_size: 0,
    lfs_objects_size: 0,
    job_artifacts_size: artifacts,
    pipeline_artifacts_size: 0,
    packages_size: 0,
    snippets_size: 0,
    uploads_size: uploads,
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

  /** What the projects were forked from, where the caller may see it. */
  async function sourcesOf(
    subjects: readonly ProjectSubject[],
    caller: Caller,
  ): Promise<Map<number, BasicProjectJson>> {
    const ids = new Set(subjects.flatMap(({ project }) => project.forked_from_project_id ?? []));
    if (ids.size === 0) return new Map();
    const found = [...(await findProjectSubjects(db, [...ids], caller.user?.id ?? null)).values()];
    const seen = found.filter((subject) => canOnProject(caller, 'read_project', subject));
    return new Map(
      await Promise.all(
        seen.map(
          async (subject) =>
            [subject.project.id, basicProjectJson(subject, caller, deps, await readme(subject))] as const,
        ),
      ),
    );
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
    const [owners, groups, sizes, sources] = await Promise.all([
      ownersOf(subjects, caller),
      shared.length === 0 ? new Map<number, SharedGroup[]>() : findSharedGroups(db, shared, caller),
      options.statistics ? storedSizes(db, ids) : null,
      sourcesOf(subjects, caller),
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
          statistics: sized ? statisticsOf(subject, sizes.get(project.id) ?? { artifacts: 0, uploads: 0 }) : null,
          forkedFrom: sources.get(project.forked_from_project_id ?? 0) ?? null,
        });
      }),
    );
  };
}
