/**
 * Removal of groups and projects in two steps: the paths are free at once, the content is kept for some days and can be
 * brought back; after them, or when asked for, a task removes it for good.
 */
import Type from 'typebox';
import { entityOfPlace, originOfCaller, recordAudit, systemOrigin } from '../../../kernel/audit/index.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';
import {
  groupDeleted,
  groupFacts,
  projectDeleted,
  projectFacts,
  recordFact,
  toInstant,
} from '../../../kernel/events/index.ts';
import { forbidden, notFound, plainError } from '../../../kernel/http/errors.ts';
import { addJob, type CronItem, defineTask, jobExists, type Task } from '../../../kernel/queue/index.ts';
import { lockTree } from '../access/hierarchy.queries.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { deleteGroup, groupsToRemove, moveGroup, projectsBelow, takenBelow } from '../groups/groups.queries.ts';
import { scheduledText, unscheduledText } from '../naming/naming.ts';
import { claimPath } from '../naming/redirects.queries.ts';
import {
  deleteProject,
  findPersonalNamespace,
  findProject,
  lockNamespace,
  projectsToRemove,
  takenInNamespace,
  updateProject,
} from '../projects/projects.queries.ts';
import { type InactiveSince, stillInactive } from './inactive.queries.ts';
import { type InactiveDependencies, inactiveProjects } from './inactive.ts';

export interface RemovalOptions {
  readonly permanently?: boolean | undefined;
  /** Must be the whole path of what is removed for good. */
  readonly fullPath?: string | undefined;
}

const today = () => new Date().toISOString().slice(0, 10);

/** Whether the removal is the second, final step; throws where it does not fit the state. */
function isFinal(
  noun: 'Project' | 'Group',
  marked: string | null,
  fullPath: string,
  { permanently, fullPath: given }: RemovalOptions,
): boolean {
  if (!permanently) {
    if (marked !== null) throw plainError(400, `${noun} has been already marked for deletion`);
    return false;
  }
  if (marked === null) throw plainError(400, `${noun} must be marked for deletion first.`);
  if (given !== fullPath)
    throw plainError(
      400,
      `\`full_path\` is incorrect. You must enter the complete path for the ${noun === 'Group' ? 'subgroup' : 'project'}.`,
    );
  return true;
}

export function deletionService(deps: NamespacesDependencies & Pick<InactiveDependencies, 'mail'>) {
  const { db, settings } = deps;

  const removeProject = async (id: number): Promise<void> => {
    await transaction(db, async (tx) => {
      const project = await findProject(tx, id);
      const namespace = project && (await lockNamespace(tx, project.namespace_id));
      if (!project || !namespace) return;
      const entity = entityOfPlace({ kind: 'project', project, namespace });
      await recordAudit(tx, { ...systemOrigin, entity, event: 'project_destroyed', details: {} });
      await recordFact(
        tx,
        projectDeleted,
        {
          project_id: id,
          ...{ name: project.name, path: project.path, visibility: project.visibility },
          path_with_namespace: `${namespace.full_path}/${project.path}`,
          group_ids: namespace.traversal_ids,
          created_at: toInstant(project.created_at),
          updated_at: toInstant(project.updated_at),
        },
        { project_id: id, namespace_id: project.namespace_id },
      );
      await deps.repository.projectRemoved(tx, project);
      await deleteProject(tx, id);
    });
    await deps.serviceAccounts.removeHomeless();
  };
  const projectTask = defineTask(
    'namespaces.remove_project',
    Type.Object({ project_id: Type.Integer() }),
    ({ project_id }) => removeProject(project_id),
    { timeout: 600_000 },
  );

  const groupTask = defineTask(
    'namespaces.remove_group',
    Type.Object({ group_id: Type.Integer() }),
    async ({ group_id }, { signal }) => {
      for (const id of await projectsBelow(db, group_id)) {
        signal.throwIfAborted();
        await removeProject(id);
      }
      await transaction(db, async (tx) => {
        const group = await lockNamespace(tx, group_id);
        if (!group) return;
        const entity = entityOfPlace({ kind: 'group', group });
        await recordAudit(tx, { ...systemOrigin, entity, event: 'group_destroyed', details: {} });
        await recordFact(
          tx,
          groupDeleted,
          {
            group_id,
            ...{ name: group.name, path: group.path, full_path: group.full_path, parent_id: group.parent_id },
            group_ids: group.traversal_ids,
            created_at: toInstant(group.created_at),
            updated_at: toInstant(group.updated_at),
          },
          { namespace_id: group_id },
        );
        await deps.repository.groupRemoved(tx, group_id);
        await deleteGroup(tx, group_id);
      });
      await deps.serviceAccounts.removeHomeless();
    },
    { timeout: 600_000 },
  );

  const projectKey = (id: number) => `${projectTask.name}:${id}`;
  const groupKey = (id: number) => `${groupTask.name}:${id}`;
  const enqueueProject = (tx: Db, id: number) =>
    addJob(tx, projectTask, { project_id: id }, { jobKey: projectKey(id) });
  const enqueueGroup = (tx: Db, id: number) => addJob(tx, groupTask, { group_id: id }, { jobKey: groupKey(id) });

  const sweepTask = defineTask('namespaces.remove_expired', Type.Object({}), async () => {
    const days = (await settings.read()).deletion_adjourned_period;
    for (const id of await projectsToRemove(db, days)) await enqueueProject(db, id);
    for (const id of await groupsToRemove(db, days)) await enqueueGroup(db, id);
    // Those that an interrupted removal left.
    await deps.serviceAccounts.removeHomeless();
  });

  const keptDays = async () => (await settings.read()).deletion_adjourned_period;

  /** Everything that people ask for here, by name: the removal itself is the system's. */
  const record = (
    tx: Db,
    caller: Caller,
    subject: ProjectSubject | GroupSubject,
    what: 'marked_for_deletion' | 'deletion_started' | 'restored',
  ) =>
    recordAudit(tx, {
      ...originOfCaller(caller),
      entity: entityOfPlace(subject),
      event: `${subject.kind}_${what}`,
      details: {},
    });

  /** As it is now, with its namespace held: of several who remove or restore it at the same time one is right. */
  async function lockedProject(tx: Db, { project: { id, namespace_id } }: ProjectSubject): Promise<Project> {
    await lockNamespace(tx, namespace_id);
    const project = await findProject(tx, id);
    if (!project) throw notFound('Project');
    return project;
  }

  async function lockedGroup(tx: Db, { group: { id } }: GroupSubject): Promise<Namespace> {
    const group = await lockNamespace(tx, id);
    if (!group) throw notFound('Group');
    return group;
  }

  /** Frees the path and name of a project, and says when it goes. */
  async function markProject(tx: Db, project: Project, actorId: number | null): Promise<void> {
    await updateProject(tx, project.id, {
      marked_for_deletion_on: today(),
      path: scheduledText(project.path, project.id),
      name: scheduledText(project.name, project.id),
    });
    await recordFact(
      tx,
      projectFacts.marked_for_deletion,
      { project_id: project.id },
      { project_id: project.id, namespace_id: project.namespace_id, actor_id: actorId },
    );
  }

  async function scheduleProject(subject: ProjectSubject, caller: Caller, options: RemovalOptions): Promise<void> {
    const { namespace } = subject;
    if ((await settings.read()).default_project_deletion_protection && !caller.admin) throw forbidden();
    const days = await keptDays();
    await transaction(db, async (tx) => {
      const project = await lockedProject(tx, subject);
      const fullPath = `${namespace.full_path}/${project.path}`;
      const final = isFinal('Project', project.marked_for_deletion_on, fullPath, options);
      if (final && (await jobExists(tx, projectKey(project.id)))) throw notFound('Project');
      if (!final) await markProject(tx, project, caller.user?.id ?? null);
      await record(tx, caller, subject, final || days === 0 ? 'deletion_started' : 'marked_for_deletion');
      if (final || days === 0) await enqueueProject(tx, project.id);
    });
  }

  async function restoreProject(subject: ProjectSubject, caller: Caller): Promise<void> {
    await transaction(db, async (tx) => {
      const project = await lockedProject(tx, subject);
      if (project.marked_for_deletion_on === null) throw plainError(400, 'Project has not been marked for deletion');
      const space = await lockNamespace(tx, project.namespace_id);
      if (!space) throw notFound('Project');
      const wanted = {
        path: unscheduledText(project.path, project.id),
        name: unscheduledText(project.name, project.id),
      };
      const taken = await takenInNamespace(tx, space, wanted, project.id);
      const path = taken.path ? `${wanted.path}-${project.id}` : wanted.path;
      await claimPath(tx, `${space.full_path}/${path}`);
      await updateProject(tx, project.id, {
        marked_for_deletion_on: null,
        // Whoever brings it back gets another warning.
        inactivity_warned_at: null,
        path,
        name: taken.name ? `${wanted.name}-${project.id}` : wanted.name,
      });
      await record(tx, caller, subject, 'restored');
    });
  }

  async function scheduleGroup(subject: GroupSubject, caller: Caller, options: RemovalOptions): Promise<void> {
    const days = await keptDays();
    await transaction(db, async (tx) => {
      await lockTree(tx);
      const group = await lockedGroup(tx, subject);
      const final = isFinal('Group', group.marked_for_deletion_on, group.full_path, options);
      if (final && (await jobExists(tx, groupKey(group.id)))) throw notFound('Group');
      if (!final) {
        await moveGroup(tx, group, {
          path: scheduledText(group.path, group.id),
          name: scheduledText(group.name, group.id),
          marked_for_deletion_on: today(),
        });
        await recordFact(
          tx,
          groupFacts.marked_for_deletion,
          { group_id: group.id },
          { namespace_id: group.id, actor_id: caller.user?.id ?? null },
        );
      }
      await record(tx, caller, subject, final || days === 0 ? 'deletion_started' : 'marked_for_deletion');
      if (final || days === 0) await enqueueGroup(tx, group.id);
    });
  }

  async function restoreGroup(subject: GroupSubject, caller: Caller): Promise<void> {
    await transaction(db, async (tx) => {
      await lockTree(tx);
      const group = await lockedGroup(tx, subject);
      if (group.marked_for_deletion_on === null) throw plainError(400, 'Group has not been marked for deletion');
      const parent = group.parent_id === null ? undefined : await lockNamespace(tx, group.parent_id);
      const path = unscheduledText(group.path, group.id);
      const name = unscheduledText(group.name, group.id);
      const taken = await takenBelow(tx, group.parent_id, { path, name }, group.id);
      const free = taken.path ? `${path}-${group.id}` : path;
      await claimPath(tx, parent ? `${parent.full_path}/${free}` : free);
      await moveGroup(tx, group, {
        path: free,
        name: taken.name ? `${name}-${group.id}` : name,
        marked_for_deletion_on: null,
      });
      await record(tx, caller, subject, 'restored');
    });
  }

  /** For somebody who is removed: the projects of their own namespace now, the groups by their tasks. */
  async function removePlacesOf(userId: number, groups: readonly number[], signal: AbortSignal): Promise<void> {
    const space = await findPersonalNamespace(db, userId);
    for (const id of space ? await projectsBelow(db, space.id) : []) {
      signal.throwIfAborted();
      await removeProject(id);
    }
    for (const id of groups) await enqueueGroup(db, id);
  }

  /** Removes a project that nobody uses, like any other; false where something has happened in it since. */
  async function scheduleInactive(id: number, since: InactiveSince): Promise<boolean> {
    const days = await keptDays();
    return await transaction(db, async (tx) => {
      const found = await findProject(tx, id);
      const namespace = found && (await lockNamespace(tx, found.namespace_id));
      const project = namespace && (await stillInactive(tx, id, since));
      if (!project) return false;
      await markProject(tx, project, null);
      const entity = entityOfPlace({ kind: 'project', project, namespace });
      const details = { inactive_since: project.last_activity_at.toISOString() };
      const event = days === 0 ? 'project_deletion_started' : 'project_marked_for_deletion';
      await recordAudit(tx, { ...systemOrigin, entity, event, details });
      if (days === 0) await enqueueProject(tx, id);
      return true;
    });
  }
  const inactive = inactiveProjects({ ...deps, remove: scheduleInactive });

  const tasks: Task[] = [projectTask, groupTask, sweepTask, inactive.task];
  const cron: CronItem[] = [{ task: sweepTask.name, schedule: '7 2 * * *' }, inactive.cron];
  return { scheduleProject, restoreProject, scheduleGroup, restoreGroup, removeProject, removePlacesOf, tasks, cron };
}

export type DeletionService = ReturnType<typeof deletionService>;
