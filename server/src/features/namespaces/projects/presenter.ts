/** Projects as JSON with everything that belongs to it, one project or a page. */
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { userReference } from '../../identity/index.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { artifactSizes, findExtras } from './extras.queries.ts';
import type { BasicProjectJson, ProjectJson, ProjectStatistics } from './projects.entity.ts';
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

const timeOf = (text: string | null) => (text === null ? null : new Date(text));

export function projectPresenter(deps: NamespacesDependencies): PresentProjects {
  const readme = async ({ project }: ProjectSubject) =>
    project.refs_generation === 0 ? null : await deps.repository.readmePath(project);

  return async (subjects, caller, options = {}) => {
    if (subjects.length === 0) return [];
    if (options.simple || caller.user === null) {
      return await Promise.all(
        subjects.map(async (subject) => basicProjectJson(subject, caller, deps, await readme(subject))),
      );
    }
    const ids = subjects.map(({ project }) => project.id);
    const [extras, sizes] = await Promise.all([
      findExtras(deps.db, ids, caller.user.id),
      options.statistics ? artifactSizes(deps.db, ids) : null,
    ]);
    return await Promise.all(
      subjects.map(async (subject) => {
        const row = extras.get(subject.project.id);
        const sized = sizes !== null && (caller.admin || subject.level >= Level.reporter);
        return projectJson(subject, caller, deps, {
          readmePath: await readme(subject),
          projectAccess: row?.projectAccess ?? null,
          groupAccess: row?.groupAccess ?? null,
          sharedWith: row?.sharedWith ?? [],
          owner: row?.owner
            ? userReference({ ...row.owner, locked_until: timeOf(row.owner.locked_until) }, deps.externalUrl)
            : null,
          statistics: sized ? statisticsOf(subject, sizes.get(subject.project.id) ?? 0) : null,
        });
      }),
    );
  };
}
