/** Namespaces: groups, projects, personal namespaces, members, and who has which level where. */

import { isWithin } from '../../kernel/authz/addresses.ts';
import type { Caller, ProjectSubject } from '../../kernel/authz/subjects.ts';
import { type Db, sharedRead } from '../../kernel/db/index.ts';
import type { Feature } from '../../kernel/feature.ts';
import type { ParentLoader } from '../../kernel/http/parents.ts';
import type { Settings } from '../../kernel/settings/index.ts';
import { expiryTask } from './access/expiry.ts';
import { type ExternalAuthorization, externalAuthorization } from './access/external-authorization.ts';
import { findGroupSubject, findProjectSubject, keptToNetworks } from './access/parents.queries.ts';
import { accessTokenRoutes } from './access-tokens/access-tokens.routes.ts';
import { accessTokenService } from './access-tokens/access-tokens.service.ts';
import { expiringTokenMails } from './access-tokens/expiring.ts';
import { mountPictures } from './avatars/avatars.mount.ts';
import { createPictures } from './avatars/pictures.ts';
import { badgeRoutes } from './badges/badges.routes.ts';
import { customAttributeRoutes } from './custom-attributes/custom-attributes.routes.ts';
import { type DeletionService, deletionService } from './deletion/deletion.service.ts';
import type { NamespacesDependencies } from './deps.ts';
import { downloadWatch } from './downloads/downloads.ts';
import { soleOwnedGroups } from './groups/groups.queries.ts';
import { groupRoutes } from './groups/groups.routes.ts';
import { type GroupService, groupService } from './groups/groups.service.ts';
import { groupReferences } from './groups/references.ts';
import { relatedGroupRoutes } from './groups/related.routes.ts';
import { jobTokenAllowed } from './job-token-scope/job-token-scope.queries.ts';
import { jobTokenScopeRoutes } from './job-token-scope/job-token-scope.routes.ts';
import { memberRoutes } from './members/members.routes.ts';
import { memberService } from './members/members.service.ts';
import { type MembershipHooks, membershipRoutes } from './members/membership.ts';
import { teamImportRoutes } from './members/team-import.routes.ts';
import { namespaceRoutes } from './namespaces/namespaces.routes.ts';
import { findFormer } from './naming/redirects.queries.ts';
import { findProjectSubjects } from './projects/extras.queries.ts';
import { gitAddressRoutes } from './projects/git-addresses.routes.ts';
import { type ListProjects, projectLister } from './projects/listing.ts';
import { type PresentProjects, projectPresenter } from './projects/presenter.ts';
import { projectListRoutes } from './projects/project-lists.routes.ts';
import { projectRoutes } from './projects/projects.routes.ts';
import { type ProjectService, projectService } from './projects/projects.service.ts';
import { type PushedProjects, pushedProjects } from './projects/pushed.service.ts';
import { relatedProjectRoutes } from './projects/related.routes.ts';
import { serviceAccountRoutes } from './service-accounts/service-accounts.routes.ts';
import { starRoutes } from './stars/stars.routes.ts';
import { recountingTask } from './statistics/recounting.ts';
import { findTopic } from './topics/topics.queries.ts';
import { topicRoutes } from './topics/topics.routes.ts';

export {
  abilityScope,
  allOf,
  grantHolds,
  groupContentScope,
  groupScope,
  levelsText,
  projectScope,
  type Sql,
  withTables,
} from './access/access.queries.ts';
export {
  nextGroupIid,
  nextIid,
  raiseCounter,
  raiseGroupCounter,
  takeIids,
  takingIids,
} from './access/counters.queries.ts';
export { below, defaultProtection, nearestSaid, projectsWithin } from './access/hierarchy.queries.ts';
export { findNamespaceSubject, findProjectSubject } from './access/parents.queries.ts';
export { outranksOn } from './access/privileges.ts';
export { issuesSeen, requestsSeen } from './access/requests.queries.ts';
export { removeGrantsOf } from './access-tokens/access-tokens.queries.ts';
export { pictureUrl } from './avatars/pictures.ts';
export type { DeletionService } from './deletion/deletion.service.ts';
export type { NamespacesDependencies } from './deps.ts';
export { groupAttributeParameters, groupAttributes } from './groups/attributes.ts';
export { groupId } from './groups/groups.params.ts';
export { setGroupPicture } from './groups/groups.queries.ts';
export { createPersonalNamespace, renamePersonalNamespace } from './groups/groups.service.ts';
export { caretakersOf } from './members/caretakers.queries.ts';
export { sendsMail } from './members/entry.queries.ts';
export { graceOfGroups } from './members/members.queries.ts';
export { membersNamed } from './members/named.ts';
export { NamespaceReference, namespaceReference, type ReferredNamespace } from './namespaces/reference.entity.ts';
export { openness, visibilities } from './naming/naming.ts';
export { reservedAtTheTop } from './naming/reserved.ts';
export { type Place, placeColumns } from './places.ts';
export {
  type ArchivedSnippet,
  type ExternalPlaces,
  type ExternalTracker,
  externalPlaces,
  type MembersUnassigned,
  type MirroredRef,
  type Moved,
  membersUnassigned,
  type Outgoing,
  type PlaceMoved,
  type ProjectRepositories,
  type ProjectStarts,
  placeMoved,
  projectRepositories,
  projectStarts,
  type RunnersTokens,
  runnersTokens,
  type UpdateMirrored,
} from './ports.ts';
export { reserving, settlingNumbers } from './project-relations/numbers.ts';
export { importedFrom } from './project-relations/origin.queries.ts';
export {
  type Exporter,
  type GroupExporter,
  type GroupRelation,
  type GroupTarget,
  groupRelation,
  type ImportTarget,
  once,
  type Relation,
  relation,
} from './project-relations/relation.ts';
export {
  badgeRelation,
  customAttributeRelation,
  groupBadgeRelation,
  groupCustomAttributeRelation,
  groupMemberRelation,
  memberRelation,
} from './project-relations/relations.ts';
export { removing, removingOfGroup } from './project-relations/removing.queries.ts';
export { type LinkedTexts, rewritingTexts } from './project-relations/texts.queries.ts';
export { type ProjectsActive, projectActivity } from './projects/activity.ts';
export type { Attributes } from './projects/attributes.changes.ts';
export { attributeParameters as projectAttributeParameters } from './projects/attributes.params.ts';
export { projectAttributes } from './projects/attributes.ts';
export { findProjectSubjects } from './projects/extras.queries.ts';
export { requireLinkable } from './projects/fork-visibility.ts';
export type { ListProjects } from './projects/listing.ts';
export type { MirrorParameters } from './projects/mirror.params.ts';
export type { PresentProjects } from './projects/presenter.ts';
export { Project } from './projects/projects.entity.ts';
export { httpRoot, sshAddressOf, sshUrl } from './projects/projects.json.ts';
export { listOptions, projectId, wideFilterOf, wideListParameters } from './projects/projects.params.ts';
export {
  findPersonalNamespace,
  findProject,
  requireResolvedDiscussions,
  setApprovalsBeforeMerge,
} from './projects/projects.queries.ts';
export { type CreateProject, PlaceTaken, type ProjectService } from './projects/projects.service.ts';
export type { MadeByPush } from './projects/pushed.service.ts';
export { pathFrom, type SeenFrom } from './projects/relative.ts';
export { settingsJson } from './projects/settings.entity.ts';
export { squashes } from './projects/squash.ts';
export type { StartParameters } from './projects/start.params.ts';
export { recordMeasures } from './statistics/statistics.queries.ts';

export interface Namespaces extends Feature {
  /** For the edge: the parent that a path names, with the caller's level. */
  readonly parents: ParentLoader;
  /** A project by id or full path for a user, without a request: for transports and background work. */
  projectFor(idOrPath: string | number, userId: number | null): Promise<ProjectSubject | null>;
  /** Groups that would have no owner without the user. */
  soleOwnedGroups(userId: number): Promise<readonly number[]>;
  readonly projects: ProjectService;
  readonly groups: Pick<GroupService, 'create'>;
  readonly deletion: DeletionService;
  /** Rows of projects as a caller sees them. */
  readonly present: PresentProjects;
  readonly list: ListProjects;
  /** Projects that `git push` makes. */
  readonly pushed: PushedProjects;
  /** Somebody is sent the code of a project. */
  readonly downloaded: (projectId: number, caller: Caller) => void;
  /** Writes what is pending. */
  close(): Promise<void>;
  /** Removes the projects of the user's namespace, and the groups by tasks. */
  removePlacesOf(userId: number, groups: readonly number[], signal: AbortSignal): Promise<void>;
}

/** Loads parents from a database; what an external service keeps the caller from is not there for them. */
function parentLoader(db: Db, settings: Settings, external: ExternalAuthorization): ParentLoader {
  const userOf = (caller: Caller) => caller.user?.id ?? null;
  // PostgreSQL takes no NUL in a text, and no name has one.
  const impossible = (idOrPath: string) => idOrPath.includes('\0');
  // Ids have no former path: only texts with something else than digits are looked up.
  const isPath = (idOrPath: string) => /[^\d]/.test(idOrPath);
  /** What a caller that is a job of another project may be here. */
  const forJobs = async (subject: ProjectSubject, caller: Caller): Promise<ProjectSubject> =>
    (await jobTokenAllowed(db, settings, caller, subject.project.id)) ? { ...subject, jobTokenAllowed: true } : subject;
  const subjectAt = sharedRead<readonly [userId: number | null, idOrPath: string], ProjectSubject | null>(
    ([userId, idOrPath]) => `${userId} ${idOrPath}`,
    ([userId, idOrPath]) => findProjectSubject(db, idOrPath, userId),
  );
  const project = async (idOrPath: string, caller: Caller): Promise<ProjectSubject | null> => {
    const found = await subjectAt([userOf(caller), idOrPath]);
    return found && (await external.allows(caller, found)) ? await forJobs(found, caller) : null;
  };
  return {
    project: async (idOrPath, caller) => {
      if (impossible(idOrPath)) return null;
      const found = await project(idOrPath, caller);
      if (found || !idOrPath.includes('/')) return found;
      const former = await findFormer(db, idOrPath, 'project');
      return former === null ? null : await project(String(former), caller);
    },
    projects: async (ids, caller) => {
      const found = ids.length === 0 ? [] : [...(await findProjectSubjects(db, ids, userOf(caller))).values()];
      const known = await Promise.all(
        found.map(async (subject) =>
          (await external.allows(caller, subject)) ? await forJobs(subject, caller) : null,
        ),
      );
      return new Map(known.flatMap((subject) => (subject ? [[subject.project.id, subject] as const] : [])));
    },
    group: async (idOrPath, caller) => {
      if (impossible(idOrPath)) return null;
      const found = await findGroupSubject(db, idOrPath, userOf(caller));
      if (found || !isPath(idOrPath)) return found;
      const former = await findFormer(db, idOrPath, 'group');
      return former === null ? null : await findGroupSubject(db, String(former), userOf(caller));
    },
    closedTo: async (address) =>
      (await keptToNetworks(db)).filter(({ ranges }) => !isWithin(ranges, address)).map(({ id }) => id),
    readsAcross: external.readsAcross,
  };
}

/** One per process, made by app.ts. */
export function namespacesFeature(deps: NamespacesDependencies & MembershipHooks): Namespaces {
  const present = projectPresenter(deps);
  const list = projectLister(deps, present);
  const deletion = deletionService(deps);
  const expiry = expiryTask(deps.db);
  const recounting = recountingTask(deps.db);
  const downloads = downloadWatch(deps);
  const projects = projectService(deps);
  const groups = groupService(deps);
  const parents = parentLoader(deps.db, deps.settings, externalAuthorization(deps));
  const pictures = createPictures(deps.objects);
  return {
    references: [groupReferences(deps.db)],
    routes: [
      ...groupRoutes({ ...deps, groups, deletion, present, pictures }),
      ...relatedGroupRoutes(deps, list),
      ...customAttributeRoutes(deps),
      ...badgeRoutes(deps),
      ...namespaceRoutes(deps),
      ...projectListRoutes(deps, list),
      ...gitAddressRoutes(deps),
      ...projectRoutes({
        db: deps.db,
        projects,
        starts: deps.starts,
        deletion,
        present,
        pictures,
      }),
      ...memberRoutes(deps, memberService(deps)),
      ...membershipRoutes(deps, memberService(deps)),
      ...teamImportRoutes(deps, parents, memberService(deps)),
      ...accessTokenRoutes(deps, accessTokenService(deps)),
      ...serviceAccountRoutes(deps),
      ...jobTokenScopeRoutes({ deps, parents, present }),
      ...relatedProjectRoutes(deps, projects, present),
      ...topicRoutes(deps),
      ...starRoutes(deps, projects, present),
    ],
    mount: (server) => {
      mountPictures(server, {
        resolver: deps.resolver,
        parents,
        pictures,
        externalUrl: deps.externalUrl,
        topicPicture: async (id) => (await findTopic(deps.db, id))?.avatar_object_key ?? null,
      });
    },
    consumers: [expiringTokenMails(deps)],
    tasks: [...deletion.tasks, expiry.task, recounting.task, downloads.task],
    cron: [...deletion.cron, expiry.cron, recounting.cron, downloads.cron],
    parents,
    downloaded: downloads.note,
    close: downloads.flush,
    projects,
    deletion,
    groups,
    present,
    list,
    pushed: pushedProjects(deps, projects),
    soleOwnedGroups: (userId) => soleOwnedGroups(deps.db, userId),
    removePlacesOf: deletion.removePlacesOf,
    projectFor: (idOrPath, userId) => findProjectSubject(deps.db, String(idOrPath), userId),
  };
}
