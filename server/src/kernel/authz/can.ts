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

/** What deploy tokens are for. */
const deployAbilities: ReadonlySet<ProjectAbility> = new Set(['read_project', 'read_code']);

/** What the credential lets its user be here: themselves, anybody, or nobody. */
function standing(caller: Caller, ability: ProjectAbility, subject: ProjectSubject): 'user' | 'anyone' | 'nobody' {
  const { credential } = caller;
  if (credential.kind === 'deploy') {
    const own =
      credential.projectId === subject.project.id ||
      (credential.namespaceId !== null && subject.namespace.traversal_ids.includes(credential.namespaceId));
    return own && deployAbilities.has(ability) ? 'user' : 'nobody';
  }
  if (credential.kind !== 'job') return 'user';
  if (credential.job.project_id === subject.project.id || subject.jobTokenAllowed) return 'user';
  return subject.project.visibility === 'public' ? 'anyone' : 'nobody';
}

export function canOnProject(caller: Caller, ability: ProjectAbility, subject: ProjectSubject): boolean {
  const rule: ProjectRule = projectAbilities[ability];
  const as = standing(caller, ability, subject);
  if (as === 'nobody') return false;
  const deploy = caller.credential.kind === 'deploy';
  const level = deploy ? Level.reporter : as === 'user' ? subject.level : Level.none;
  if (rule.changes && (subject.project.archived || subject.project.marked_for_deletion_on !== null)) return false;
  if (rule.feature) {
    const offered = featureLevel(subject, rule.feature);
    if (offered === 'disabled') return false;
    if (offered === 'private' && !caller.admin && level < Level.guest) return false;
  }
  if (caller.admin) return true;
  if (rule.condition === 'public-jobs' && !subject.project.public_jobs) return level >= Level.reporter;
  if (level >= rule.role) return true;
  if (!rule.open || !visible(subject.project.visibility, caller)) return false;
  return rule.open === 'anyone' || caller.user !== null;
}

export function canOnGroup(caller: Caller, ability: GroupAbility, subject: GroupSubject): boolean {
  const rule: GroupRule = groupAbilities[ability];
  if (caller.credential.kind === 'deploy') return false;
  if (caller.credential.kind === 'job' && ability !== 'read_group') return false;
  if (rule.changes && subject.group.marked_for_deletion_on !== null) return false;
  if (caller.admin) return true;
  const needed = typeof rule.role === 'number' ? rule.role : (creationLevels[subject.group[rule.role]] ?? Level.owner);
  if (subject.level >= needed) return true;
  return rule.open === 'anyone' && visible(subject.group.visibility, caller);
}
