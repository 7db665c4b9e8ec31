/** From facts to calls of hooks: who is told, and of what. Whatever has gone meanwhile is not told of. */
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, User } from '../../../kernel/db/rows.ts';
import {
  accessRequestFacts,
  accessTokenExpiring,
  deploymentChanged,
  emojiFacts,
  type Fact,
  type FactConsumer,
  type FactDefinition,
  type FactDelivery,
  featureFlagToggled,
  groupDeleted,
  groupFacts,
  groupUpdated,
  issueFacts,
  jobFinished,
  memberChanged,
  mergeRequestFacts,
  milestoneFacts,
  noteFacts,
  on,
  pipelineFacts,
  projectDeleted,
  projectFacts,
  pushed,
  releaseDeleted,
  releaseFacts,
  repositoryUpdated,
  sshKeyFacts,
  userCreated,
  userDeleted,
  userRenamed,
  userSignInRefused,
  vulnerabilityFacts,
  wikiPageFacts,
} from '../../../kernel/events/index.ts';
import { noteById } from '../../collaboration/notes/index.ts';
import { deploymentById, environmentsById, linksOfReleases, releaseById } from '../../delivery/index.ts';
import { mergeRequestActions, mergeRequestPayload } from '../../review/messages/index.ts';
import { type Announcement, type HookEvent, isHeard } from '../webhooks/index.ts';
import { accessTokenHookDays, accessTokenPayload } from './access-token.ts';
import { deploymentPayload } from './deployment.ts';
import { around, type Heard, messageOf, type OfProject, personOf, type WebhookDependencies } from './heard.ts';
import { issueActions, issuePayload } from './issue.ts';
import { milestoneActions, milestonePayload } from './milestone.ts';
import { commentedOn, notePayload } from './note.ts';
import { jobPayload, pipelinePayload } from './pipeline.ts';
import * as places from './places.ts';
import { projectParts } from './project-parts.ts';
import { branchOf, pushPayload, repositoryUpdatePayload } from './push.ts';
import { releaseActions, releasePayload, type ToldRelease } from './release.ts';
import * as queries from './webhooks.queries.ts';

/** Of a group, and of a project. */
const memberEvents = {
  added: ['user_add_to_group', 'user_add_to_team'],
  updated: ['user_update_for_group', 'user_update_for_team'],
  removed: ['user_remove_from_group', 'user_remove_from_team'],
  expired: ['user_remove_from_group', 'user_remove_from_team'],
} as const;

/** Of a group and of a project; hooks of groups know some by a name of their own. */
type MemberEvents = readonly [group: string, project: string, ofGroupHooks?: string];
const requestGone: MemberEvents = [
  'user_access_request_revoked_for_group',
  'user_access_request_revoked_for_project',
  'user_access_request_denied_for_group',
];
const requestEvents = {
  'access_request.created': ['user_access_request_to_group', 'user_access_request_to_project'],
  'access_request.denied': requestGone,
  'access_request.withdrawn': requestGone,
} as const;
/** What somebody asks for: the role that they would get is decided by who lets them in. */
const askedLevel = Level.developer;

/** Trigger of hooks of the instance for everything that has no switch. */
const general = 'system_hooks';

type StoredPlace = Pick<Fact<FactDefinition>, 'project_id'>;
type IssueFact = (typeof issueFacts)['opened' | 'updated' | 'closed' | 'reopened'];
type MergeRequestFact = (typeof mergeRequestFacts)[keyof typeof mergeRequestFacts];
type MilestoneFact = (typeof milestoneFacts)['created' | 'closed' | 'reopened' | 'deleted'];
type ProjectFact = (typeof projectFacts)['created' | 'updated' | 'transferred'];
type GroupFact = (typeof groupFacts)['created'] | typeof groupUpdated;

export function webhookConsumer(deps: Omit<WebhookDependencies, 'project'>): FactConsumer {
  const { db, urls, repository } = deps;
  const parts = projectParts(deps);
  const subjectOf = async ({ project_id }: StoredPlace, delivery: FactDelivery) =>
    project_id === null ? null : await delivery.project(project_id);
  const system = (
    payload: () => Promise<object | null>,
    event: HookEvent | null = null,
    trigger = general,
    branch: string | null = null,
  ) => ({ system: { event, trigger, payload, ...(branch === null ? {} : { branch }) } });

  const push: OfProject<typeof pushed> = async (fact, subject, delivery) => {
    const { ref, before, after, push_options, refs } = fact.payload;
    const branch = branchOf(ref);
    if (branch === null && !ref.startsWith('refs/tags/')) return null;
    // Whoever pushes that much tells nobody of each.
    if (refs > (await deps.settings.read()).push_event_hooks_limit) return null;
    const event = branch === null ? 'tag_push_events' : 'push_events';
    const moved = { ref, before, after, options: push_options };
    const user = await personOf(fact.actor_id, delivery);
    return {
      hooks: {
        event,
        ...around(subject),
        ...(branch === null ? {} : { branch }),
        message: async () => messageOf(event, await pushPayload(repository, urls, subject, user, moved)),
      },
      ...system(
        () => pushPayload(repository, urls, subject, user, moved, 'no commits'),
        event,
        messageOf(event, {})?.trigger,
        branch,
      ),
    };
  };

  const mergeRequest: OfProject<MergeRequestFact> = async (fact, target, delivery) => {
    const row = await queries.mergeRequestById(db, fact.payload.merge_request_id);
    if (!row) return null;
    const payload = async () => {
      const source =
        row.source_project_id === target.project.id
          ? target
          : row.source_project_id === null
            ? null
            : await delivery.project(row.source_project_id);
      const action = mergeRequestActions[fact.kind];
      const changes = fact.payload.changes ?? {};
      const user = await personOf(fact.actor_id, delivery);
      return await mergeRequestPayload({ db, repository, urls }, { target, source }, row, user, { action, changes });
    };
    const event = 'merge_requests_events';
    return {
      hooks: { event, ...around(target), message: async () => messageOf(event, await payload()) },
      ...system(payload, event, 'merge_request_hooks'),
    };
  };

  const issue: OfProject<IssueFact> = async (fact, subject, delivery) => {
    const row = await queries.issueById(db, fact.payload.issue_id);
    if (!row) return null;
    const { changes = {} } = fact.payload;
    const event = row.confidential ? 'confidential_issues_events' : 'issues_events';
    const action = issueActions[fact.kind];
    const message = async () =>
      messageOf(
        event,
        await issuePayload(deps, subject, row, await personOf(fact.actor_id, delivery), { action, changes }),
      );
    return { hooks: { event, ...around(subject), message } };
  };

  const pipeline: OfProject<(typeof pipelineFacts)[keyof typeof pipelineFacts]> = async ({ payload }, subject) => {
    const row = await queries.pipelineById(db, payload.pipeline_id);
    if (!row) return null;
    // As it was then; its jobs as they are.
    const then = { ...row, status: payload.status };
    const event = 'pipeline_events';
    const message = async () => messageOf(event, await pipelinePayload({ db, repository, urls }, subject, then));
    return { hooks: { event, ...around(subject), message } };
  };

  const job: OfProject<typeof jobFinished> = async ({ payload }, subject) => {
    const row = await queries.buildById(db, payload.job_id);
    if (!row) return null;
    const event = 'job_events';
    const then = { ...row, status: payload.status };
    const message = async () => messageOf(event, await jobPayload({ db, repository, urls }, subject, then));
    return { hooks: { event, ...around(subject), message } };
  };

  const release: OfProject<(typeof releaseFacts)[keyof typeof releaseFacts] | typeof releaseDeleted> = async (
    fact,
    subject,
  ) => {
    const { id } = fact.payload;
    const row = fact.kind === 'release.deleted' ? undefined : await releaseById(db, id);
    const shown: ToldRelease | undefined =
      fact.kind === 'release.deleted' ? fact.payload : row && { ...row, links: await linksOfReleases(db, [id]) };
    if (!shown) return null;
    const event = 'releases_events';
    const message = async () =>
      messageOf(event, await releasePayload({ repository, urls }, subject, shown, releaseActions[fact.kind]));
    return { hooks: { event, ...around(subject), message } };
  };

  const deployment: OfProject<typeof deploymentChanged> = async ({ payload }, subject, delivery) => {
    const row = await deploymentById(db, payload.deployment_id);
    const environment = row && (await environmentsById(db, [row.environment_id])).get(row.environment_id);
    if (!row || !environment) return null;
    const event = 'deployment_events';
    const user = row.user_id === null ? null : await delivery.user(row.user_id);
    const message = async () =>
      messageOf(
        event,
        await deploymentPayload({ repository, urls }, subject, { deployment: row, environment, user }, payload),
      );
    return { hooks: { event, ...around(subject), message } };
  };

  async function milestone(fact: Fact<MilestoneFact>, delivery: FactDelivery): Promise<Heard> {
    const action = milestoneActions[fact.kind];
    const event = 'milestone_events';
    const subject = await subjectOf(fact, delivery);
    if (subject) {
      const payload = milestonePayload(urls, subject, fact.payload, action);
      return { hooks: { event, ...around(subject), message: async () => messageOf(event, payload) } };
    }
    const group = fact.namespace_id === null ? undefined : await queries.namespaceById(db, fact.namespace_id);
    if (!group) return null;
    const payload = milestonePayload(urls, group, fact.payload, action);
    const message = async () => messageOf(event, payload);
    return { hooks: { event, projectId: null, groupIds: group.traversal_ids, message } };
  }

  const comment: OfProject<(typeof noteFacts)[keyof typeof noteFacts]> = async (fact, subject, delivery) => {
    const note = await noteById(db, fact.payload.note_id);
    if (!note || note.system) return null;
    const sourceOf = async (id: number) => await delivery.project(id);
    const about = await commentedOn(deps, subject, note, sourceOf);
    if (!about) return null;
    const event = about.secret ? 'confidential_note_events' : 'note_events';
    const action = fact.kind === 'note.created' ? 'create' : 'update';
    const message = async () =>
      messageOf(event, await notePayload(deps, subject, note, about, await personOf(fact.actor_id, delivery), action));
    return { hooks: { event, ...around(subject), message } };
  };

  async function accessToken(fact: Fact<typeof accessTokenExpiring>, delivery: FactDelivery): Promise<Heard> {
    if (fact.payload.days > accessTokenHookDays) return null;
    const event = 'resource_access_token_events';
    const subject = await subjectOf(fact, delivery);
    const group =
      subject || fact.namespace_id === null ? undefined : await queries.namespaceById(db, fact.namespace_id);
    const place = subject ?? group;
    if (!place) return null;
    const where = subject ? around(subject) : { projectId: null, groupIds: group?.traversal_ids ?? [] };
    const message = async () => messageOf(event, accessTokenPayload(urls, place, fact));
    return { hooks: { event, ...where, message } };
  }

  async function member(fact: Fact<typeof memberChanged>, delivery: FactDelivery): Promise<Heard> {
    if (!('user_id' in fact.payload)) return null;
    const { user_id, change, level, expires_at = null, created_at = fact.created_at } = fact.payload;
    const [forGroup, forProject] = memberEvents[change];
    const user = await delivery.user(user_id);
    if (!user) return null;
    const place = { projectId: fact.project_id, namespaceId: fact.namespace_id };
    const membership: places.Membership | undefined =
      level === undefined
        ? await queries.grantOf(db, user.id, place)
        : { level, expires_at, created_at, updated_at: fact.created_at };
    return membership ? await aboutMember(fact, delivery, [forGroup, forProject], user, membership) : null;
  }

  async function accessRequest(
    fact: Fact<(typeof accessRequestFacts)[keyof typeof accessRequestFacts]>,
    delivery: FactDelivery,
  ): Promise<Heard> {
    const user = await delivery.user(fact.payload.user_id);
    const { requested_at } = fact.payload;
    const asked = { level: askedLevel, expires_at: null, created_at: requested_at, updated_at: fact.created_at };
    return user && (await aboutMember(fact, delivery, requestEvents[fact.kind], user, asked));
  }

  async function aboutMember(
    fact: Pick<Fact<typeof memberChanged>, 'project_id' | 'namespace_id'>,
    delivery: FactDelivery,
    [forGroup, forProject, forHooks = forGroup]: MemberEvents,
    user: User,
    membership: places.Membership,
  ): Promise<Heard> {
    if (fact.project_id !== null) {
      const subject = await subjectOf(fact, delivery);
      return subject && system(async () => places.projectMemberPayload(forProject, subject, user, membership));
    }
    const group = fact.namespace_id === null ? undefined : await queries.namespaceById(db, fact.namespace_id);
    if (!group) return null;
    const payload = places.groupMemberPayload(forGroup, group, user, membership);
    return {
      hooks: {
        event: 'member_events',
        projectId: null,
        groupIds: group.traversal_ids,
        message: async () => messageOf('member_events', { ...payload, event_name: forHooks }),
      },
      ...system(async () => ({ ...payload, user_email: user.email })),
    };
  }

  const projectMessage = (
    event: string,
    shown: places.ToldProject,
    groupIds: readonly number[],
    oldPath?: string,
  ): NonNullable<Heard> => {
    const payload = async () =>
      places.projectPayload(event, shown, await queries.ownersOf(db, shown.namespace_id), oldPath);
    const forGroups = async () => {
      const { owner_email: _email, owner_name: _name, ...rest } = await payload();
      return messageOf('project_events', rest);
    };
    return {
      ...(event === 'project_create' || event === 'project_destroy'
        ? { hooks: { event: 'project_events' as const, projectId: null, groupIds, message: forGroups } }
        : {}),
      ...system(payload),
    };
  };

  const project: OfProject<ProjectFact> = async ({ kind, payload }, subject) => {
    const oldPath = kind === 'project.created' ? undefined : payload.old_path;
    const events = {
      'project.created': 'project_create',
      'project.transferred': 'project_transfer',
      'project.updated': oldPath === undefined ? 'project_update' : 'project_rename',
    };
    const groupIds = subject.namespace.traversal_ids;
    return projectMessage(events[kind], places.toldProject(subject), groupIds, oldPath);
  };

  async function projectGone({ payload, namespace_id }: Fact<typeof projectDeleted>): Promise<Heard> {
    const shown = { ...payload, id: payload.project_id, namespace_id: namespace_id ?? 0 };
    return projectMessage('project_destroy', shown, payload.group_ids);
  }

  async function groupMessage(event: 'create' | 'destroy', shown: places.ToldGroup): Promise<Heard> {
    const parent = shown.parent_id === null ? undefined : await queries.namespaceById(db, shown.parent_id);
    return {
      ...(parent ? { hooks: subgroup(parent, places.subgroupPayload(`subgroup_${event}`, shown, parent)) } : {}),
      ...system(async () => places.groupPayload(`group_${event}`, shown)),
    };
  }

  async function group({ kind, payload }: Fact<GroupFact>): Promise<Heard> {
    const row = await queries.namespaceById(db, payload.group_id);
    if (!row) return null;
    if (kind === 'group.created') return await groupMessage('create', row);
    const { old_path, old_full_path } = payload;
    if (old_path === undefined) return null;
    return system(async () => places.groupPayload('group_rename', row, { old_path, old_full_path }));
  }

  const subgroup = (parent: Namespace, payload: object): Announcement['hooks'] => ({
    event: 'subgroup_events',
    projectId: null,
    groupIds: parent.traversal_ids,
    message: async () => messageOf('subgroup_events', payload),
  });

  const repositoryUpdate: OfProject<typeof repositoryUpdated> = async (fact, subject, delivery) => {
    const user = await personOf(fact.actor_id, delivery);
    const payload = async () => repositoryUpdatePayload(urls, subject, user, fact.payload.changes);
    return system(payload, 'repository_update_events', 'repository_update_hooks');
  };

  const announced = <D extends FactDefinition>(
    facts: D | readonly D[],
    heard: (fact: Fact<D>, delivery: FactDelivery) => Promise<Heard>,
  ) =>
    on(facts, async (fact, delivery) => {
      const what = await heard(fact, delivery);
      if (what) await deps.announce({ factId: fact.id, ...what });
    });
  /** Nothing where the project is gone. */
  const ofProject = <D extends FactDefinition>(facts: D | readonly D[], heard: OfProject<D>) =>
    announced(facts, async (fact, delivery) => {
      const subject = await subjectOf(fact, delivery);
      return subject && (await heard(fact, subject, delivery));
    });
  /** Nothing, and nothing is looked for, where nobody listens to what hooks of projects and groups hear. */
  const ofHeardProject = <D extends FactDefinition>(facts: D | readonly D[], heard: OfProject<D>) =>
    announced(facts, async (fact, delivery) => {
      const { project_id: id } = fact;
      if (id === null || !(await delivery.once(`heard ${id}`, () => isHeard(db, id)))) return null;
      const subject = await subjectOf(fact, delivery);
      return subject && (await heard(fact, subject, delivery));
    });
  /** Nothing where the user is gone. */
  const ofUser = async (userId: number, delivery: FactDelivery, payload: (user: User) => object): Promise<Heard> => {
    const user = await delivery.user(userId);
    return user && system(async () => payload(user));
  };

  return {
    name: 'webhooks',
    handlers: [
      ofProject(pushed, push),
      ofProject(repositoryUpdated, repositoryUpdate),
      ofProject(Object.values(mergeRequestFacts), mergeRequest),
      ofHeardProject(Object.values(pipelineFacts), pipeline),
      ofHeardProject(jobFinished, job),
      ofProject([...Object.values(releaseFacts), releaseDeleted], release),
      ofProject(deploymentChanged, deployment),
      ofHeardProject(Object.values(noteFacts), comment),
      ofHeardProject(Object.values(wikiPageFacts), parts.wikiPage),
      ofHeardProject(featureFlagToggled, parts.flag),
      ofHeardProject(Object.values(emojiFacts), parts.emoji),
      ofHeardProject(Object.values(vulnerabilityFacts), parts.vulnerability),
      ofHeardProject([issueFacts.opened, issueFacts.updated, issueFacts.closed, issueFacts.reopened], issue),
      announced(
        [milestoneFacts.created, milestoneFacts.closed, milestoneFacts.reopened, milestoneFacts.deleted],
        milestone,
      ),
      announced(accessTokenExpiring, accessToken),
      announced(memberChanged, member),
      announced(Object.values(accessRequestFacts), accessRequest),
      ofProject([projectFacts.created, projectFacts.updated, projectFacts.transferred], project),
      announced(projectDeleted, projectGone),
      announced([groupFacts.created, groupUpdated], group),
      announced(groupDeleted, ({ payload }) => groupMessage('destroy', { ...payload, id: payload.group_id })),
      announced(sshKeyFacts.created, async ({ payload }) =>
        system(async () => places.keyPayload('key_create', payload)),
      ),
      announced(sshKeyFacts.destroyed, async ({ payload }) =>
        system(async () => places.keyPayload('key_destroy', payload)),
      ),
      announced(userDeleted, async ({ payload }) =>
        system(async () => places.userPayload('user_destroy', { ...payload, id: payload.user_id })),
      ),
      announced(userCreated, ({ payload: { user_id } }, delivery) =>
        ofUser(user_id, delivery, (user) => places.userPayload('user_create', user)),
      ),
      announced(userRenamed, ({ payload: { user_id, old_username } }, delivery) =>
        ofUser(user_id, delivery, (user) => places.userPayload('user_rename', user, { old_username })),
      ),
      announced(userSignInRefused, ({ payload: { user_id } }, delivery) =>
        ofUser(user_id, delivery, (user) => places.userPayload('user_failed_login', user, { state: user.state })),
      ),
    ],
  };
}
