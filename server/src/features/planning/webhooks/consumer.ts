/** From facts to calls of hooks: who is told, and of what. Whatever has gone meanwhile is not told of. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Namespace, User } from '../../../kernel/db/rows.ts';
import type { Fact, FactConsumer } from '../../../kernel/events/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { findUser } from '../../identity/index.ts';
import type { Announcement, HookEvent, HookMessage } from '../../namespaces/index.ts';
import { linksOfReleases, releaseById } from '../../repository/index.ts';
import type { Urls } from '../../review/messages/index.ts';
import { mergeRequestActions, mergeRequestPayload } from '../../review/messages/index.ts';
import { noteById } from '../notes/index.ts';
import { milestoneActions, milestonePayload, type ToldMilestone } from './milestone.ts';
import { notePayload } from './note.ts';
import { jobPayload, pipelinePayload } from './pipeline.ts';
import * as places from './places.ts';
import { branchOf, type HookRepository, type PushedRef, pushPayload, repositoryUpdatePayload } from './push.ts';
import { releaseActions, releasePayload, type ToldRelease } from './release.ts';
import * as queries from './webhooks.queries.ts';

export interface WebhookDependencies {
  readonly db: Db;
  readonly settings: Pick<Settings, 'read'>;
  readonly urls: Urls;
  readonly repository: HookRepository;
  /** A project as it is now, for nobody in particular. */
  readonly project: (id: number) => Promise<ProjectSubject | null>;
  readonly announce: (announcement: Announcement) => Promise<void>;
}

type Heard = Omit<Announcement, 'factId'> | null;

const titles: Partial<Record<HookEvent, readonly [trigger: string, event: string]>> = {
  push_events: ['push_hooks', 'Push Hook'],
  tag_push_events: ['tag_push_hooks', 'Tag Push Hook'],
  merge_requests_events: ['merge_request_hooks', 'Merge Request Hook'],
  pipeline_events: ['pipeline_hooks', 'Pipeline Hook'],
  job_events: ['job_hooks', 'Job Hook'],
  releases_events: ['release_hooks', 'Release Hook'],
  milestone_events: ['milestone_hooks', 'Milestone Hook'],
  note_events: ['note_hooks', 'Note Hook'],
  confidential_note_events: ['confidential_note_hooks', 'Confidential Note Hook'],
  member_events: ['member_hooks', 'Member Hook'],
  subgroup_events: ['subgroup_hooks', 'Subgroup Hook'],
  project_events: ['project_hooks', 'Project Hook'],
};

/** A payload under the names that logs and headers have for its kind. */
export function messageOf(event: HookEvent, payload: object | null): HookMessage | null {
  const [trigger, name] = titles[event] ?? [];
  return payload && trigger && name ? { trigger, event: name, payload } : null;
}

const memberEvents: Readonly<Record<string, readonly [group: string, project: string]>> = {
  added: ['user_add_to_group', 'user_add_to_team'],
  updated: ['user_update_for_group', 'user_update_for_team'],
  removed: ['user_remove_from_group', 'user_remove_from_team'],
  expired: ['user_remove_from_group', 'user_remove_from_team'],
};

/** Trigger of hooks of the instance for everything that has no switch. */
const general = 'system_hooks';

export function webhookConsumer(deps: WebhookDependencies): FactConsumer {
  const { db, urls, repository } = deps;
  const personOf = async (id: number | null): Promise<User | null> =>
    id === null ? null : ((await findUser(db, id)) ?? null);
  const around = (subject: ProjectSubject) => ({
    projectId: subject.project.id,
    groupIds: subject.namespace.traversal_ids,
  });
  const subjectOf = async (fact: Fact) => (fact.project_id === null ? null : await deps.project(fact.project_id));
  const system = (payload: () => Promise<object | null>, event: HookEvent | null = null, trigger = general) => ({
    system: { event, trigger, payload },
  });

  async function pushed(fact: Fact, subject: ProjectSubject): Promise<Heard> {
    const {
      ref,
      before,
      after,
      push_options = [],
      refs = 1,
    } = fact.payload as unknown as PushedRef & {
      push_options?: readonly string[];
      refs?: number;
    };
    const branch = branchOf(ref);
    if (branch === null && !ref.startsWith('refs/tags/')) return null;
    // Whoever pushes that much tells nobody of each.
    if (refs > (await deps.settings.read()).push_event_hooks_limit) return null;
    const event = branch === null ? 'tag_push_events' : 'push_events';
    const push = { ref, before, after, options: push_options };
    const user = await personOf(fact.actor_id);
    return {
      hooks: {
        event,
        ...around(subject),
        ...(branch === null ? {} : { branch }),
        message: async () => messageOf(event, await pushPayload(repository, urls, subject, user, push)),
      },
      ...system(
        () => pushPayload(repository, urls, subject, user, push, 'no commits'),
        event,
        messageOf(event, {})?.trigger,
      ),
    };
  }

  async function mergeRequest(fact: Fact, target: ProjectSubject): Promise<Heard> {
    const row = await queries.mergeRequestById(db, Number(fact.payload.merge_request_id));
    if (!row) return null;
    const payload = async () => {
      const source =
        row.source_project_id === target.project.id
          ? target
          : row.source_project_id === null
            ? null
            : await deps.project(row.source_project_id);
      const action = mergeRequestActions[fact.kind as keyof typeof mergeRequestActions];
      const changes = (fact.payload.changes ?? {}) as Parameters<typeof mergeRequestPayload>[4]['changes'];
      const user = await personOf(fact.actor_id);
      return await mergeRequestPayload({ db, repository, urls }, { target, source }, row, user, { action, changes });
    };
    const event = 'merge_requests_events';
    return {
      hooks: { event, ...around(target), message: async () => messageOf(event, await payload()) },
      ...system(payload, event, 'merge_request_hooks'),
    };
  }

  async function pipeline(fact: Fact, subject: ProjectSubject): Promise<Heard> {
    const row = await queries.pipelineById(db, Number(fact.payload.pipeline_id));
    if (!row) return null;
    // Told as it was then; its jobs are told as they are.
    const then = { ...row, status: String(fact.payload.status) };
    const event = 'pipeline_events';
    const message = async () => messageOf(event, await pipelinePayload({ db, repository, urls }, subject, then));
    return { hooks: { event, ...around(subject), message } };
  }

  async function job(fact: Fact, subject: ProjectSubject): Promise<Heard> {
    const row = await queries.buildById(db, Number(fact.payload.job_id));
    if (!row) return null;
    const event = 'job_events';
    const then = { ...row, status: String(fact.payload.status) };
    const message = async () => messageOf(event, await jobPayload({ db, repository, urls }, subject, then));
    return { hooks: { event, ...around(subject), message } };
  }

  async function release(fact: Fact, subject: ProjectSubject): Promise<Heard> {
    const action = releaseActions[fact.kind as keyof typeof releaseActions];
    const id = Number(fact.payload.id);
    const row = action === 'delete' ? undefined : await releaseById(db, id);
    const told =
      action === 'delete'
        ? (fact.payload as unknown as ToldRelease)
        : row && { ...row, links: await linksOfReleases(db, [id]) };
    if (!told) return null;
    const event = 'releases_events';
    const message = async () => messageOf(event, await releasePayload({ repository, urls }, subject, told, action));
    return { hooks: { event, ...around(subject), message } };
  }

  async function milestone(fact: Fact): Promise<Heard> {
    const action = milestoneActions[fact.kind as keyof typeof milestoneActions];
    const told = fact.payload as unknown as ToldMilestone;
    const event = 'milestone_events';
    const subject = await subjectOf(fact);
    if (subject) {
      const payload = milestonePayload(urls, subject, told, action);
      return { hooks: { event, ...around(subject), message: async () => messageOf(event, payload) } };
    }
    const group = fact.namespace_id === null ? undefined : await queries.namespaceById(db, fact.namespace_id);
    if (!group) return null;
    const payload = milestonePayload(urls, group, told, action);
    const message = async () => messageOf(event, payload);
    return { hooks: { event, projectId: null, groupIds: group.traversal_ids, message } };
  }

  async function comment(fact: Fact, subject: ProjectSubject): Promise<Heard> {
    const note = await noteById(db, Number(fact.payload.note_id));
    if (!note || note.system) return null;
    const event = note.internal ? 'confidential_note_events' : 'note_events';
    const action = fact.kind === 'note.created' ? 'create' : 'update';
    const message = async () =>
      messageOf(event, await notePayload(deps, subject, note, await personOf(fact.actor_id), action));
    return { hooks: { event, ...around(subject), message } };
  }

  async function member(fact: Fact): Promise<Heard> {
    const [forGroup, forProject] = memberEvents[String(fact.payload.change)] ?? [];
    const user = await personOf(typeof fact.payload.user_id === 'number' ? fact.payload.user_id : null);
    if (!forGroup || !forProject || !user) return null;
    const { level, expires_at = null, created_at = fact.created_at } = fact.payload as Partial<places.Membership>;
    const place = { projectId: fact.project_id, namespaceId: fact.namespace_id };
    const membership: places.Membership | undefined =
      level === undefined
        ? await queries.grantOf(db, user.id, place)
        : { level, expires_at, created_at, updated_at: fact.created_at };
    if (!membership) return null;
    if (fact.project_id !== null) {
      const subject = await subjectOf(fact);
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
        message: async () => messageOf('member_events', payload),
      },
      ...system(async () => ({ ...payload, user_email: user.email })),
    };
  }

  async function project(fact: Fact): Promise<Heard> {
    const kinds: Readonly<Record<string, string>> = {
      'project.created': 'project_create',
      'project.deleted': 'project_destroy',
      'project.transferred': 'project_transfer',
      'project.updated': 'project_update',
    };
    const gone = fact.kind === 'project.deleted';
    const subject = gone ? null : await subjectOf(fact);
    const renamed = fact.kind === 'project.updated' && fact.payload.old_path !== undefined;
    const event = renamed ? 'project_rename' : kinds[fact.kind];
    const told = gone
      ? ({
          ...fact.payload,
          id: fact.payload.project_id,
          namespace_id: fact.namespace_id,
        } as unknown as places.ToldProject)
      : subject && places.toldProject(subject);
    if (!event || !told) return null;
    const groupIds = gone ? ((fact.payload.group_ids ?? []) as number[]) : (subject?.namespace.traversal_ids ?? []);
    const owners = () => queries.ownersOf(db, told.namespace_id);
    const payload = async () => places.projectPayload(event, told, await owners(), fact.payload.old_path);
    const comesOrGoes = gone || fact.kind === 'project.created';
    const forGroups = async () => {
      const { owner_email: _email, owner_name: _name, ...rest } = await payload();
      return messageOf('project_events', rest);
    };
    return {
      ...(comesOrGoes
        ? { hooks: { event: 'project_events' as const, projectId: null, groupIds, message: forGroups } }
        : {}),
      ...system(payload),
    };
  }

  async function group(fact: Fact): Promise<Heard> {
    const gone = fact.kind === 'group.deleted';
    const id = fact.namespace_id;
    const row = gone || id === null ? undefined : await queries.namespaceById(db, id);
    const told = gone ? ({ ...fact.payload, id } as unknown as places.ToldGroup & { parent_id: number | null }) : row;
    if (!told) return null;
    const { old_path, old_full_path } = fact.payload;
    if (fact.kind === 'group.updated')
      return old_path === undefined
        ? null
        : system(async () => places.groupPayload('group_rename', told, { old_path, old_full_path }));
    const end = gone ? 'destroy' : 'create';
    const parent = told.parent_id === null ? undefined : await queries.namespaceById(db, told.parent_id);
    return {
      ...(parent ? { hooks: subgroup(parent, places.subgroupPayload(`subgroup_${end}`, told, parent)) } : {}),
      ...system(async () => places.groupPayload(`group_${end}`, told)),
    };
  }

  const subgroup = (parent: Namespace, payload: object): Announcement['hooks'] => ({
    event: 'subgroup_events',
    projectId: null,
    groupIds: parent.traversal_ids,
    message: async () => messageOf('subgroup_events', payload),
  });

  async function person(fact: Fact): Promise<Heard> {
    const told = fact.payload as Readonly<Record<string, unknown>>;
    if (fact.kind === 'ssh_key.created') return system(async () => places.keyPayload('key_create', told));
    if (fact.kind === 'ssh_key.destroyed') return system(async () => places.keyPayload('key_destroy', told));
    if (fact.kind === 'user.deleted')
      return system(async () => places.userPayload('user_destroy', { ...told, id: told.user_id } as unknown as User));
    const user = await personOf(Number(told.user_id));
    if (!user) return null;
    if (fact.kind === 'user.renamed')
      return system(async () => places.userPayload('user_rename', user, { old_username: told.old_username }));
    if (fact.kind === 'user.sign_in_refused')
      return system(async () => places.userPayload('user_failed_login', user, { state: user.state }));
    return system(async () => places.userPayload('user_create', user));
  }

  async function heard(fact: Fact): Promise<Heard> {
    if (fact.kind.startsWith('project.')) return await project(fact);
    if (fact.kind.startsWith('group.')) return await group(fact);
    if (fact.kind === 'member.changed') return await member(fact);
    if (fact.kind.startsWith('user.') || fact.kind.startsWith('ssh_key.')) return await person(fact);
    if (fact.kind.startsWith('milestone.')) return await milestone(fact);
    const subject = await subjectOf(fact);
    if (!subject) return null;
    if (fact.kind === 'push') return await pushed(fact, subject);
    if (fact.kind.startsWith('merge_request.')) return await mergeRequest(fact, subject);
    if (fact.kind.startsWith('pipeline.')) return await pipeline(fact, subject);
    if (fact.kind.startsWith('note.')) return await comment(fact, subject);
    if (fact.kind.startsWith('job.')) return await job(fact, subject);
    if (fact.kind.startsWith('release.')) return await release(fact, subject);
    const changes = fact.payload.changes as readonly PushedRef[];
    const user = await personOf(fact.actor_id);
    const payload = async () => repositoryUpdatePayload(urls, subject, user, changes);
    return system(payload, 'repository_update_events', 'repository_update_hooks');
  }

  return {
    name: 'webhooks',
    kinds: [
      ...['push', 'repository.updated', 'member.changed', 'ssh_key.created', 'ssh_key.destroyed'],
      ...Object.keys(mergeRequestActions),
      ...Object.keys(releaseActions),
      ...Object.keys(milestoneActions),
      ...['pipeline.created', 'pipeline.changed', 'pipeline.finished', 'job.finished'],
      ...['note.created', 'note.updated'],
      ...['project.created', 'project.updated', 'project.transferred', 'project.deleted'],
      ...['group.created', 'group.updated', 'group.deleted'],
      ...['user.created', 'user.renamed', 'user.deleted', 'user.sign_in_refused'],
    ],
    handle: async (fact) => {
      const what = await heard(fact);
      if (what) await deps.announce({ factId: fact.id, ...what });
    },
  };
}
