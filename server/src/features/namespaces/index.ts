/** Namespaces: groups, projects, personal namespaces, members, and who has which level where. */
import type { Caller, ProjectSubject } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { Feature } from '../../kernel/feature.ts';
import type { ParentLoader } from '../../kernel/http/parents.ts';
import { expiryTask } from './access/expiry.ts';
import { findGroupSubject, findProjectSubject } from './access/parents.queries.ts';
import { accessTokenRoutes } from './access-tokens/access-tokens.routes.ts';
import { accessTokenService } from './access-tokens/access-tokens.service.ts';
import { mountPictures } from './avatars/avatars.mount.ts';
import { createPictures } from './avatars/pictures.ts';
import { badgeRoutes } from './badges/badges.routes.ts';
import { customAttributeRoutes } from './custom-attributes/custom-attributes.routes.ts';
import { deletionService } from './deletion/deletion.service.ts';
import type { NamespacesDependencies } from './deps.ts';
import { forkRoutes } from './forks/forks.routes.ts';
import { forkService } from './forks/forks.service.ts';
import { soleOwnedGroups } from './groups/groups.queries.ts';
import { groupRoutes } from './groups/groups.routes.ts';
import { groupService } from './groups/groups.service.ts';
import { relatedGroupRoutes } from './groups/related.routes.ts';
import { hookRoutes } from './hooks/hooks.routes.ts';
import { jobTokenAllowed } from './job-token-scope/job-token-scope.queries.ts';
import { jobTokenScopeRoutes } from './job-token-scope/job-token-scope.routes.ts';
import { labelRoutes } from './labels/labels.routes.ts';
import { memberRoutes } from './members/members.routes.ts';
import { memberService } from './members/members.service.ts';
import { type MembershipHooks, membershipRoutes } from './members/membership.ts';
import { namespaceRoutes } from './namespaces/namespaces.routes.ts';
import { findFormer } from './naming/redirects.queries.ts';
import { projectLister } from './projects/listing.ts';
import { projectPresenter } from './projects/presenter.ts';
import { projectListRoutes } from './projects/project-lists.routes.ts';
import { projectRoutes } from './projects/projects.routes.ts';
import { projectService } from './projects/projects.service.ts';
import { relatedProjectRoutes } from './projects/related.routes.ts';
import { starRoutes } from './stars/stars.routes.ts';
import { findTopic } from './topics/topics.queries.ts';
import { topicRoutes } from './topics/topics.routes.ts';

export { abilityScope, allOf, projectScope, type Sql, withTables } from './access/access.queries.ts';
export { nextIid } from './access/counters.queries.ts';
export { removeGrantsOf } from './access-tokens/access-tokens.queries.ts';
export type { NamespacesDependencies } from './deps.ts';
export { groupAttributeParameters, groupAttributes } from './groups/attributes.ts';
export { createPersonalNamespace, renamePersonalNamespace } from './groups/groups.service.ts';
export { graceOfGroups } from './members/members.queries.ts';
export { attributeParameters as projectAttributeParameters } from './projects/attributes.params.ts';
export { projectAttributes } from './projects/attributes.ts';

export interface Namespaces extends Feature {
  /** For the edge: the parent that a path names, with the caller's level. */
  readonly parents: ParentLoader;
  /** A project by id or full path for a user, without a request: for transports and background work. */
  projectFor(idOrPath: string | number, userId: number | null): Promise<ProjectSubject | null>;
  /** Groups that would have no owner without the user. */
  soleOwnedGroups(userId: number): Promise<readonly number[]>;
  /** Removes the projects of the user's namespace, and the groups by tasks. */
  removePlacesOf(userId: number, groups: readonly number[], signal: AbortSignal): Promise<void>;
}

/** Loads parents from a database. */
function parentLoader(db: Db): ParentLoader {
  const userOf = (caller: Caller) => caller.user?.id ?? null;
  // PostgreSQL takes no NUL in a text, and no name has one.
  const impossible = (idOrPath: string) => idOrPath.includes('\0');
  // Ids have no former path: only texts with something else than digits are looked up.
  const isPath = (idOrPath: string) => /[^\d]/.test(idOrPath);
  /** What a caller that is a job of another project may be here. */
  const forJobs = async (subject: ProjectSubject | null, caller: Caller) =>
    subject && (await jobTokenAllowed(db, caller, subject.project.id))
      ? { ...subject, jobTokenAllowed: true }
      : subject;
  return {
    project: async (idOrPath, caller) => {
      if (impossible(idOrPath)) return null;
      const found = await findProjectSubject(db, idOrPath, userOf(caller));
      if (found || !idOrPath.includes('/')) return await forJobs(found, caller);
      const former = await findFormer(db, idOrPath, 'project');
      return former === null
        ? null
        : await forJobs(await findProjectSubject(db, String(former), userOf(caller)), caller);
    },
    group: async (idOrPath, caller) => {
      if (impossible(idOrPath)) return null;
      const found = await findGroupSubject(db, idOrPath, userOf(caller));
      if (found || !isPath(idOrPath)) return found;
      const former = await findFormer(db, idOrPath, 'group');
      return former === null ? null : await findGroupSubject(db, String(former), userOf(caller));
    },
  };
}

/** One per process, made by app.ts. */
export function namespacesFeature(deps: NamespacesDependencies & MembershipHooks): Namespaces {
  const present = projectPresenter(deps);
  const list = projectLister(deps, present);
  const deletion = deletionService(deps);
  const expiry = expiryTask(deps.db);
  const projects = projectService(deps);
  const forks = forkService(deps, projects);
  const parents = parentLoader(deps.db);
  const pictures = createPictures(deps.objects);
  return {
    routes: [
      ...groupRoutes({ ...deps, groups: groupService(deps), deletion, present, pictures }),
      ...relatedGroupRoutes(deps, list),
      ...customAttributeRoutes(deps),
      ...badgeRoutes(deps),
      ...labelRoutes(deps),
      ...hookRoutes(deps),
      ...namespaceRoutes(deps),
      ...projectListRoutes(deps, list),
      ...projectRoutes({ projects, deletion, present, pictures }),
      ...memberRoutes(deps, memberService(deps)),
      ...membershipRoutes(deps, memberService(deps)),
      ...accessTokenRoutes(deps, accessTokenService(deps)),
      ...jobTokenScopeRoutes({ deps, parents, present }),
      ...relatedProjectRoutes(deps, projects, present),
      ...topicRoutes(deps),
      ...starRoutes(deps, projects, present),
      ...forkRoutes(forks, list, present),
    ],
    mount: (server) =>
      mountPictures(server, {
        resolver: deps.resolver,
        parents,
        pictures,
        topicPicture: async (id) => (await findTopic(deps.db, id))?.avatar_object_key ?? null,
      }),
    tasks: [...deletion.tasks, ...forks.tasks, expiry.task],
    cron: [...deletion.cron, expiry.cron],
    parents,
    soleOwnedGroups: (userId) => soleOwnedGroups(deps.db, userId),
    removePlacesOf: deletion.removePlacesOf,
    projectFor: (idOrPath, userId) => findProjectSubject(deps.db, String(idOrPath), userId),
  };
}
