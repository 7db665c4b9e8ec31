/** Loading and authorising the project or group that a path names, once, before any handler runs. */
import {
  type GroupAbility,
  type GroupRule,
  groupAbilities,
  type ProjectAbility,
  type ProjectRule,
  projectAbilities,
} from '../authz/abilities.ts';
import { canOnGroup, canOnProject } from '../authz/can.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../authz/subjects.ts';
import { forbidden, notFound, unauthorized } from './errors.ts';

/** Implemented by the namespaces feature and wired in app.ts. `idOrPath` is decoded; null when there is no such parent. */
export interface ParentLoader {
  project(idOrPath: string, caller: Caller): Promise<ProjectSubject | null>;
  group(idOrPath: string, caller: Caller): Promise<GroupSubject | null>;
  /** Several at once, by their ids, for lists; those that are gone are left out. */
  projects(ids: readonly number[], caller: Caller): Promise<ReadonlyMap<number, ProjectSubject>>;
  /** Top-level groups that are kept to networks in which the address is not. */
  closedTo?(address: string): Promise<readonly number[]>;
  /** Whether the caller may be shown content of several projects at once. */
  readsAcross?(caller: Caller): Promise<boolean>;
}

/** Whether a path names the parent by where it was before it was renamed or transferred. */
export function isFormerPath(subject: ProjectSubject | GroupSubject, idOrPath: string): boolean {
  if (/^\d+$/.test(idOrPath)) return false;
  const now =
    subject.kind === 'project' ? `${subject.namespace.full_path}/${subject.project.path}` : subject.group.full_path;
  return now.toLowerCase() !== idOrPath.toLowerCase();
}

/** Whether the caller shows no credential at all. */
export const isStranger = ({ user, credential }: Caller): boolean => user === null && credential.kind === 'none';

/**
 * Whoever shows no credential is asked for one where nobody gets in without, and before the path is looked up: the
 * answer tells nothing of what is there.
 */
function requireCredential(caller: Caller, rule: ProjectRule | GroupRule): void {
  if (isStranger(caller) && rule.open !== 'anyone') throw unauthorized();
}

/**
 * What the caller may not see is 404, also for strangers where everybody reads what is public; what they see but may
 * not do is 403, or 401 when nobody is signed in.
 */
function refuse(caller: Caller, visible: boolean, noun: string): Error {
  if (!visible) return notFound(noun);
  return caller.user === null ? unauthorized() : forbidden();
}

/** Refuses unless the caller has the ability on the project. For checks inside handlers that depend on parameters. */
export function requireOnProject(caller: Caller, ability: ProjectAbility, subject: ProjectSubject): void {
  if (canOnProject(caller, ability, subject)) return;
  throw refuse(caller, canOnProject(caller, 'read_project', subject), 'Project');
}

/** Refuses unless the caller has the ability on the group. */
export function requireOnGroup(caller: Caller, ability: GroupAbility, subject: GroupSubject): void {
  if (canOnGroup(caller, ability, subject)) return;
  throw refuse(caller, canOnGroup(caller, 'read_group', subject), 'Group');
}

/** The loaded and authorised project of a path. */
export async function loadProject(
  loader: ParentLoader,
  idOrPath: string,
  caller: Caller,
  ability: ProjectAbility,
): Promise<ProjectSubject> {
  requireCredential(caller, projectAbilities[ability]);
  const subject = await loader.project(idOrPath, caller);
  if (!subject) throw notFound('Project');
  requireOnProject(caller, ability, subject);
  return subject;
}

/** The loaded and authorised group of a path. */
export async function loadGroup(
  loader: ParentLoader,
  idOrPath: string,
  caller: Caller,
  ability: GroupAbility,
): Promise<GroupSubject> {
  requireCredential(caller, groupAbilities[ability]);
  const subject = await loader.group(idOrPath, caller);
  if (!subject) throw notFound('Group');
  requireOnGroup(caller, ability, subject);
  return subject;
}
