/** Pull mirrors as attributes of the projects that follow: what creating and changing a project says of its mirror. */
import { originOfCaller } from '../../../kernel/audit/index.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { invalidRecord } from '../../../kernel/http/errors.ts';
import {
  findProjectSubject,
  type MirrorParameters,
  type ProjectService,
  type UpdateMirrored,
} from '../../namespaces/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import { findMirror } from './pull-mirrors.queries.ts';
import type { PullMirrors, PullMirrorValues } from './pull-mirrors.service.ts';

type Given = MirrorParameters & { readonly import_url?: string | undefined };

function valuesOf(given: Given): PullMirrorValues {
  const { mirror_trigger_builds, only_mirror_protected_branches, mirror_overwrites_diverged_branches } = given;
  const wanted = {
    ...{ mirror_trigger_builds, only_mirror_protected_branches, mirror_overwrites_diverged_branches },
    mirror_branch_regex: given.mirror_branch_regex,
    enabled: given.mirror,
    url: given.import_url?.trim(),
  };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

export function mirroredProjects(
  deps: Pick<PortabilityDependencies, 'db' | 'settings' | 'actingAs'>,
  mirrors: Pick<PullMirrors, 'prepare'>,
) {
  const { db } = deps;

  /** Who may not set it up is not refused: as with other attributes of projects, it stays as it is. */
  async function mayMirror(caller: Caller): Promise<boolean> {
    return caller.admin || (await deps.settings.read()).mirror_available;
  }

  /** Administrators name others, who must be able to push. */
  async function requireUser(caller: Caller, userId: number | undefined, projectId: number | null): Promise<void> {
    if (userId === undefined || userId === caller.user?.id) return;
    const acting = caller.admin && projectId !== null ? await deps.actingAs(userId, projectId) : null;
    if (!acting || !canOnProject(acting.caller, 'push_code', acting.subject))
      throw invalidRecord({ mirror_user_id: ['is invalid'] });
  }

  return {
    /** What sets the mirror of a project up that is imported from an address; undefined where it follows nothing. */
    async ofNew(caller: Caller, given: Given): Promise<((tx: Db, projectId: number) => Promise<void>) | undefined> {
      if (!given.mirror || !(await mayMirror(caller))) return undefined;
      if (!given.import_url) throw invalidRecord({ import_url: ["can't be blank"] });
      await requireUser(caller, given.mirror_user_id, null);
      const save = await mirrors.prepare({ caller, origin: originOfCaller(caller) }, undefined, valuesOf(given), {
        field: 'import_url',
        imported: true,
      });
      return async (tx, projectId) => {
        const subject = await findProjectSubject(tx, String(projectId), caller.user?.id ?? null);
        if (subject && canOnProject(caller, 'admin_remote_mirror', subject)) await save(tx, subject);
      };
    },

    /** Changes a project, and its mirror in the same transaction. */
    async update(
      projects: Pick<ProjectService, 'update'>,
      subject: ProjectSubject,
      caller: Caller,
      params: UpdateMirrored,
    ): Promise<ProjectSubject> {
      const save = await changeOf(subject, caller, params);
      return await projects.update(subject, caller, params, save && ((tx) => save(tx, subject)));
    },
  };

  async function changeOf(subject: ProjectSubject, caller: Caller, given: Given) {
    const values = valuesOf(given);
    if (Object.keys(values).length === 0 && given.mirror_user_id === undefined) return undefined;
    if (!canOnProject(caller, 'admin_remote_mirror', subject) || !(await mayMirror(caller))) return undefined;
    const found = await findMirror(db, subject.project.id);
    // A mirror that is switched on without an address follows what the project was imported from.
    const url = values.url ?? (found || !given.mirror ? undefined : (subject.project.import_url ?? undefined));
    if (!found && url === undefined && !given.mirror) return undefined;
    await requireUser(caller, given.mirror_user_id, subject.project.id);
    return await mirrors.prepare(
      { caller, origin: originOfCaller(caller) },
      found,
      { ...values, ...(url === undefined ? {} : { url }) },
      {
        field: 'import_url',
        ...(given.mirror_user_id === undefined ? {} : { userId: given.mirror_user_id }),
      },
    );
  }
}
export type MirroredProjects = ReturnType<typeof mirroredProjects>;
