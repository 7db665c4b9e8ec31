/** The one check of permissions: pure functions over the ability tables, the caller and the loaded subject. */
import {
  type Feature,
  featuresOf,
  type GroupAbility,
  type GroupRule,
  groupAbilities,
  type ProjectAbility,
  type ProjectRule,
  projectAbilities,
  switchesOf,
} from './abilities.ts';
import { isWithin } from './addresses.ts';
import { Level } from './levels.ts';
import { type Caller, type GroupSubject, type ProjectSubject, readsAll } from './subjects.ts';

const creationLevels: Readonly<Record<string, Level>> = {
  noone: 60 as Level,
  administrator: 60 as Level,
  owner: Level.owner,
  maintainer: Level.maintainer,
  developer: Level.developer,
};

/** Whether a feature's access level lets the caller in. */
const offers = (offered: string, level: Level, reads: boolean): boolean =>
  offered !== 'disabled' && (offered !== 'private' || reads || level >= Level.guest);

/** Whether the role is enough by itself. */
const holds = (rule: ProjectRule | GroupRule, level: Level, needed: Level): boolean =>
  level >= needed || (rule.planner === true && level === Level.planner);

/** Whether everybody who can see the place has it. */
const isOpen = (rule: ProjectRule | GroupRule, visibility: string, caller: Caller): boolean =>
  rule.open !== undefined && visible(visibility, caller) && (rule.open === 'anyone' || caller.user !== null);

function featureLevel(subject: ProjectSubject, feature: Feature): string {
  return subject.project[`${feature}_access_level`];
}

/** True when the caller stands outside but the visibility lets them look in. */
function visible(visibility: string, caller: Caller): boolean {
  if (visibility === 'public') return true;
  return visibility === 'internal' && caller.user !== null && !caller.user.external;
}

/** Whether the caller is outside the networks that the top-level group is kept to. */
const isOutside = (caller: Caller, { ipRanges }: ProjectSubject | GroupSubject): boolean =>
  typeof ipRanges === 'string' &&
  ipRanges !== '' &&
  caller.address !== undefined &&
  !isWithin(ipRanges, caller.address);

/** What deploy keys and deploy tokens are for. */
const deployKeyAbilities: ReadonlySet<ProjectAbility> = new Set(['read_project', 'read_code']);
const deployAbilities: ReadonlySet<ProjectAbility> = new Set([
  ...deployKeyAbilities,
  'read_package',
  'pull_package',
  'create_package',
]);

/** What the credential lets its user be here: themselves, anybody, or nobody. */
function standing(caller: Caller, ability: ProjectAbility, subject: ProjectSubject): 'user' | 'anyone' | 'nobody' {
  const { credential } = caller;
  if (credential.kind === 'deploy') {
    const own =
      credential.projectId === subject.project.id ||
      (credential.namespaceId !== null && subject.namespace.traversal_ids.includes(credential.namespaceId));
    return own && deployAbilities.has(ability) ? 'user' : 'nobody';
  }
  if (credential.kind === 'deploy_key') {
    if (!deployKeyAbilities.has(ability) && !(ability === 'push_code' && credential.canPush)) return 'nobody';
    if (credential.projectId === subject.project.id) return 'user';
    return subject.project.visibility === 'public' ? 'anyone' : 'nobody';
  }
  if (credential.kind !== 'job') return 'user';
  if (credential.job.project_id === subject.project.id || subject.jobTokenAllowed) return 'user';
  return subject.project.visibility === 'public' ? 'anyone' : 'nobody';
}

/** The credential's own level where it has one, not that of the person behind it. */
function levelOf({ credential }: Caller, subject: ProjectSubject): Level {
  // What its scopes open was asked before.
  if (credential.kind === 'deploy') return Level.developer;
  if (credential.kind === 'deploy_key') return credential.canPush ? Level.developer : Level.reporter;
  return subject.level;
}

/** Archived, or waiting for its deletion, by itself or with a group above it. */
const isFrozenProject = ({ project, goesWithGroup }: ProjectSubject): boolean =>
  project.archived || project.marked_for_deletion_on !== null || goesWithGroup === true;

const isFrozenGroup = ({ group, frozenAbove }: GroupSubject): boolean =>
  group.archived || group.marked_for_deletion_on !== null || frozenAbove === true;

export function canOnProject(caller: Caller, ability: ProjectAbility, subject: ProjectSubject): boolean {
  const rule: ProjectRule = projectAbilities[ability];
  if (isOutside(caller, subject)) return false;
  if (rule.openPackages && subject.openPackages) return true;
  const as = standing(caller, ability, subject);
  if (as === 'nobody') return false;
  const level = as === 'user' ? levelOf(caller, subject) : Level.none;
  if (rule.changes && isFrozenProject(subject)) return false;
  const reads = as === 'user' && readsAll(caller);
  const features = featuresOf(rule);
  const on = (feature: Feature) =>
    switchesOf(feature).every((each) => offers(featureLevel(subject, each), level, reads));
  if (features.length > 0 && !features.some(on)) return false;
  if (rule.needs && !canOnProject(caller, rule.needs, subject)) return false;
  if (caller.admin || (reads && rule.auditor)) return true;
  if (rule.condition === 'public-jobs' && !subject.project.public_jobs) return level >= Level.reporter;
  return holds(rule, level, rule.role) || isOpen(rule, subject.project.visibility, caller);
}

export function canOnGroup(caller: Caller, ability: GroupAbility, subject: GroupSubject): boolean {
  const rule: GroupRule = groupAbilities[ability];
  if (isOutside(caller, subject) && !(rule.anyAddress && (caller.admin || subject.level >= Level.owner))) return false;
  if (caller.credential.kind === 'deploy' || caller.credential.kind === 'deploy_key') return false;
  if (caller.credential.kind === 'job' && ability !== 'read_group') return false;
  if (rule.changes && isFrozenGroup(subject)) return false;
  const reads = readsAll(caller);
  if (rule.feature && !offers(subject.group.wiki_access_level, subject.level, reads)) return false;
  if (caller.admin || (reads && rule.auditor)) return true;
  const needed =
    typeof rule.role === 'number' ? rule.role : (creationLevels[subject.group[rule.role] ?? ''] ?? Level.owner);
  if (rule.minimal && subject.level >= Level.minimal && subject.group.parent_id === null) return true;
  if (rule.below && subject.roleBelow) return true;
  return holds(rule, subject.level, needed) || isOpen(rule, subject.group.visibility, caller);
}
