/** The one check of permissions: pure functions over the ability tables, the caller and the loaded subject. */
import {
  type Feature,
  type GroupAbility,
  type GroupRule,
  groupAbilities,
  type ProjectAbility,
  type ProjectRule,
  projectAbilities,
} from './abilities.ts';
import { Level } from './levels.ts';
import type { Caller, GroupSubject, ProjectSubject } from './subjects.ts';

const creationLevels: Readonly<Record<string, Level>> = {
  noone: 60 as Level,
  administrator: 60 as Level,
  owner: Level.owner,
  maintainer: Level.maintainer,
  developer: Level.developer,
};

function featureLevel(subject: ProjectSubject, feature: Feature): string {
  return subject.project[`${feature}_access_level`];
}

/** True when the caller stands outside but the visibility lets them look in. */
function visible(visibility: string, caller: Caller): boolean {
  if (visibility === 'public') return true;
  return visibility === 'internal' && caller.user !== null && !caller.user.external;
}

/** Whether a job token reaches this project: its own, or one that the caller's user may see and that is not closed to it. */
function jobTokenReaches(caller: Caller, subject: ProjectSubject): boolean {
  return (
    caller.credential.kind !== 'job' ||
    caller.credential.job.project_id === subject.project.id ||
    subject.project.visibility === 'public'
  );
}

export function canOnProject(caller: Caller, ability: ProjectAbility, subject: ProjectSubject): boolean {
  const rule: ProjectRule = projectAbilities[ability];
  if (!jobTokenReaches(caller, subject)) return false;
  if (rule.changes && (subject.project.archived || subject.project.marked_for_deletion_on !== null)) return false;
  if (rule.feature) {
    const level = featureLevel(subject, rule.feature);
    if (level === 'disabled') return false;
    if (level === 'private' && !caller.admin && subject.level < Level.guest) return false;
  }
  if (caller.admin) return true;
  if (rule.condition === 'public-jobs' && !subject.project.public_jobs) return subject.level >= Level.reporter;
  if (subject.level >= rule.role) return true;
  if (!rule.open || !visible(subject.project.visibility, caller)) return false;
  return rule.open === 'anyone' || caller.user !== null;
}

export function canOnGroup(caller: Caller, ability: GroupAbility, subject: GroupSubject): boolean {
  const rule: GroupRule = groupAbilities[ability];
  if (caller.credential.kind === 'job' && ability !== 'read_group') return false;
  if (rule.changes && subject.group.marked_for_deletion_on !== null) return false;
  if (caller.admin) return true;
  const needed = typeof rule.role === 'number' ? rule.role : (creationLevels[subject.group[rule.role]] ?? Level.owner);
  if (subject.level >= needed) return true;
  return rule.open === 'anyone' && visible(subject.group.visibility, caller);
}
