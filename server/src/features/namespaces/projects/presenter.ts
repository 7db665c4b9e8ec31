/** Projects as JSON with everything that belongs to it, one project or a page. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { findReferences, type ReferenceRow, userReference } from '../../identity/index.ts';
import { runnersTokenFor } from '../access/registration.ts';
import { openCounts } from '../access/requests.queries.ts';
import { customAttributesOf } from '../custom-attributes/custom-attributes.queries.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { hasStarred } from '../stars/stars.queries.ts';
import { statisticsOf } from '../statistics/statistics.queries.ts';
import { findMirrors, findProjectSubjects, findSharedGroups } from './extras.queries.ts';
import type { BasicProjectJson, MirrorSettings, ProjectJson, SharedGroup } from './projects.entity.ts';
import { basicProjectJson, fileUrl, projectJson } from './projects.json.ts';

export interface PresentOptions {
  /** The short form; anonymous callers get no other unless `inGroup`. */
  readonly simple?: boolean | undefined;
  /** As projects are listed in a group: nobody gets less than the long form without asking for it. */
  readonly inGroup?: boolean | undefined;
  /** Sizes, for those who have at least the role of a reporter. */
  readonly statistics?: boolean | undefined;
  /** What administrators noted, for administrators. */
  readonly customAttributes?: boolean | undefined;
  /** The licence of the default branch, for who may read it. */
  readonly license?: boolean | undefined;
  /** Whether the caller has starred it. */
  readonly starred?: boolean | undefined;
  /** How many open issues and merge requests the caller sees. */
  readonly counts?: boolean | undefined;
  /** The issue tracker and wiki elsewhere. */
  readonly elsewhere?: boolean | undefined;
  /** The token with which runners register, for those who administer them. */
  readonly runnersToken?: boolean | undefined;
}

export type PresentProjects = (
  subjects: readonly ProjectSubject[],
  caller: Caller,
  options?: PresentOptions,
) => Promise<Array<ProjectJson | BasicProjectJson>>;

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

  /** The licence, as two keys of the project. */
  async function licensed(subject: ProjectSubject, caller: Caller) {
    const found = canOnProject(caller, 'read_code', subject) ? await deps.repository.licenseOf(subject.project) : null;
    if (!found) return { license_url: null, license: null };
    const { path, key, name, nickname, htmlUrl, sourceUrl } = found;
    return {
      license_url: fileUrl(subject, externalUrl, path),
      license: { key, name, nickname, html_url: htmlUrl, source_url: sourceUrl },
    };
  }

  async function linkedFrom(subject: ProjectSubject) {
    const { wikiUrl, tracker } = await deps.externalPlaces.of(subject);
    const { title = '', projectUrl = '', newIssueUrl = null } = tracker ?? {};
    return {
      external_wiki_url: wikiUrl,
      external_issue_tracker: tracker && { title, project_url: projectUrl, new_issue_url: newIssueUrl },
    };
  }

  /** What only the one who asks for a single project wants of it. */
  async function moreOf(subject: ProjectSubject, caller: Caller, options: PresentOptions) {
    const { user } = caller;
    const [starred, license, elsewhere, runnersToken, counts] = await Promise.all([
      options.starred && user ? hasStarred(db, user.id, subject.project.id) : undefined,
      options.license ? licensed(subject, caller) : {},
      options.elsewhere && caller.user ? linkedFrom(subject) : {},
      options.runnersToken && caller.user ? runnersTokenFor(deps, subject, caller) : undefined,
      options.counts ? openCounts(db, subject, caller) : undefined,
    ]);
    return {
      ...(starred === undefined ? {} : { starred }),
      ...license,
      ...elsewhere,
      ...(runnersToken === undefined ? {} : { runners_token: runnersToken }),
      // Visitors get the short form, which does not tell.
      ...(counts === undefined ? {} : { counts, empty_repo: subject.project.refs_generation === 0 }),
    };
  }

  const present: PresentProjects = async (subjects, caller, options = {}) => {
    if (subjects.length === 0) return [];
    const ids = subjects.map(({ project }) => project.id);
    const noted = options.customAttributes && caller.admin ? await customAttributesOf(db, 'project', ids) : null;
    const notes = (id: number) => (noted ? { custom_attributes: noted.get(id) ?? [] } : {});
    if (options.simple || (caller.user === null && !options.inGroup)) {
      return await Promise.all(
        subjects.map(async (subject) => ({
          ...basicProjectJson(subject, caller, deps, await readme(subject)),
          ...notes(subject.project.id),
        })),
      );
    }
    const shared = subjects.filter(({ parts }) => parts?.shared !== false).map(({ project }) => project.id);
    const mirrored = subjects.filter(({ project }) => project.mirror).map(({ project }) => project.id);
    const [owners, groups, sizes, sources, mirrors] = await Promise.all([
      ownersOf(subjects, caller),
      shared.length === 0 ? new Map<number, SharedGroup[]>() : findSharedGroups(db, shared, caller),
      options.statistics ? statisticsOf(db, ids) : null,
      sourcesOf(subjects, caller),
      mirrored.length === 0 ? new Map<number, MirrorSettings>() : findMirrors(db, mirrored),
    ]);
    return await Promise.all(
      subjects.map(async (subject) => {
        const { project, namespace, parts } = subject;
        const owner = namespace.kind === 'user' ? owners.get(namespace.owner_id ?? 0) : undefined;
        const sized = sizes !== null && canOnProject(caller, 'read_project_statistics', subject);
        const json = projectJson(subject, caller, deps, {
          readmePath: await readme(subject),
          projectAccess: parts?.project ?? null,
          groupAccess: parts?.group ?? null,
          sharedWith: groups.get(project.id) ?? [],
          owner: owner ? userReference(owner, externalUrl) : null,
          statistics: sized ? (sizes.get(project.id) ?? null) : null,
          forkedFrom: sources.get(project.forked_from_project_id ?? 0) ?? null,
          mirror: mirrors.get(project.id) ?? null,
        });
        return { ...json, ...notes(project.id) };
      }),
    );
  };

  return async (subjects, caller, options = {}) => {
    const { license, starred, runnersToken, elsewhere, counts } = options;
    if (!license && !starred && !runnersToken && !elsewhere && !counts) return await present(subjects, caller, options);
    const [found, parts] = await Promise.all([
      present(subjects, caller, options),
      Promise.all(subjects.map((subject) => moreOf(subject, caller, options))),
    ]);
    return parts.map((part, at) => ({ ...(found[at] as ProjectJson), ...part }));
  };
}
