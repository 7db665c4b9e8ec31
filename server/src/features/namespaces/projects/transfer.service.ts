/** Moving a project to another namespace. The repository's place does not depend on it: only the path changes. */
import { entityOfPlace, originOfCaller, recordAudit } from '../../../kernel/audit/index.ts';
import { canOnGroup } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import { projectFacts, recordFact } from '../../../kernel/events/index.ts';
import { notFound, plainError } from '../../../kernel/http/errors.ts';
import { findNamespaceSubject } from '../access/parents.queries.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { isReserved, openness } from '../naming/naming.ts';
import { claimPath, leaveProjectPath } from '../naming/redirects.queries.ts';
import { closeForks } from './fork-visibility.ts';
import { findProject, lockNamespace, takenInNamespace, updateProject } from './projects.queries.ts';

const failed = (reason: string) => plainError(400, `Failed to transfer project ${reason}`);
const sameName = 'Project with same name or path in target namespace already exists';

/** Moves the project; old addresses lead to the new one until something else is there. */
export function projectTransfer({ db, moved }: Pick<NamespacesDependencies, 'db' | 'moved'>) {
  return async (subject: ProjectSubject, caller: Caller, to: string): Promise<void> => {
    const target = await findNamespaceSubject(db, to, caller.user?.id ?? null);
    if (!target) throw notFound('Namespace');
    const { project, namespace } = subject;
    const space = target.group;
    const allowed =
      space.kind === 'user'
        ? caller.admin || space.owner_id === caller.user?.id
        : canOnGroup(caller, 'create_project', target);
    if (!allowed) {
      // Whether there is a group that the caller may not see is not told.
      if (!canOnGroup(caller, 'read_group', target)) throw notFound('Namespace');
      throw failed('Transfer failed, please contact an admin.');
    }
    if (space.id === project.namespace_id) throw failed('Project is already in this namespace.');
    if (isReserved(project.path, space.full_path)) throw failed(`${project.path} is a reserved name`);
    if (project.marked_for_deletion_on !== null) throw failed('Project is waiting for its removal.');
    await transaction(db, async (tx) => {
      // One after the other in the order of ids, so that two that swap places do not wait for each other.
      for (const id of [space.id, project.namespace_id].sort((a, b) => a - b)) await lockNamespace(tx, id);
      const now = await findProject(tx, project.id);
      if (now?.namespace_id !== project.namespace_id) throw notFound('Project');
      const taken = await takenInNamespace(tx, space, { name: now.name, path: now.path }, project.id);
      if (taken.path || taken.name) throw failed(sameName);
      await claimPath(tx, `${space.full_path}/${now.path}`);
      await leaveProjectPath(tx, project.id, `${namespace.full_path}/${now.path}`);
      const tooOpen = space.kind === 'group' && openness(now.visibility) > openness(space.visibility);
      await updateProject(tx, project.id, {
        namespace_id: space.id,
        ...(tooOpen ? { visibility: space.visibility } : {}),
        ...(space.shared_runners_setting === 'disabled_and_unoverridable' ? { shared_runners_enabled: false } : {}),
      });
      for (const part of moved) await part.moved(tx, { projectId: project.id });
      if (tooOpen) await closeForks(tx, caller, [project.id], space.visibility);
      await recordAudit(tx, {
        ...originOfCaller(caller),
        entity: entityOfPlace(subject),
        event: 'project_transferred',
        details: { change: 'namespace', from: namespace.full_path, to: space.full_path },
      });
      await recordFact(
        tx,
        projectFacts.transferred,
        { project_id: project.id, old_path: `${namespace.full_path}/${now.path}` },
        { project_id: project.id, namespace_id: space.id, actor_id: caller.user?.id ?? null },
      );
    }).catch((error: unknown) => {
      const taken = isUniqueViolation(error, 'projects_path_key') || isUniqueViolation(error, 'projects_name_key');
      throw taken ? failed(sameName) : error;
    });
  };
}
