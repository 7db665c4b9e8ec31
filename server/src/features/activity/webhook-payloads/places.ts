/** Payloads of projects, groups, members and people that come, change and go. */

import { Level } from '../../../kernel/authz/levels.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Namespace, User } from '../../../kernel/db/rows.ts';
import type { PayloadOf, sshKeyFacts } from '../../../kernel/events/index.ts';
import { fullPathOf, shownEmail } from '../../review/messages/index.ts';

/** A project as its payload tells it, there or gone. */
export interface ToldProject {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly path_with_namespace: string;
  readonly namespace_id: number;
  readonly visibility: string;
  readonly created_at: Date | string;
  readonly updated_at: Date | string;
}

const iso = (date: Date | string) => `${new Date(date).toISOString().slice(0, 19)}Z`;

export const toldProject = (subject: ProjectSubject): ToldProject => ({
  ...subject.project,
  path_with_namespace: fullPathOf(subject),
});

export function projectPayload(
  event: string,
  project: ToldProject,
  owners: readonly { readonly name: string; readonly email: string }[],
  oldPath?: string,
) {
  return {
    created_at: iso(project.created_at),
    updated_at: iso(project.updated_at),
    event_name: event,
    name: project.name,
    owner_email: owners[0]?.email ?? '',
    owner_name: owners[0]?.name ?? '',
    owners,
    path: project.path,
    path_with_namespace: project.path_with_namespace,
    project_id: project.id,
    project_namespace_id: project.namespace_id,
    project_visibility: project.visibility,
    ...(oldPath !== undefined ? { old_path_with_namespace: oldPath } : {}),
  };
}

export interface ToldGroup {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly full_path: string;
  readonly parent_id: number | null;
  readonly created_at: Date | string;
  readonly updated_at: Date | string;
}

export const groupPayload = (
  event: string,
  group: ToldGroup,
  old?: { readonly old_path: string; readonly old_full_path: string | undefined },
) => ({
  created_at: iso(group.created_at),
  updated_at: iso(group.updated_at),
  event_name: event,
  name: group.name,
  path: group.path,
  full_path: group.full_path,
  group_id: group.id,
  ...(old ? { old_path: old.old_path, old_full_path: old.old_full_path } : {}),
});

export const subgroupPayload = (event: string, group: ToldGroup, parent: Namespace) => ({
  ...groupPayload(event, group),
  parent_group_id: parent.id,
  parent_name: parent.name,
  parent_path: parent.path,
  parent_full_path: parent.full_path,
});

/** What a membership was or is. */
export interface Membership {
  readonly level: number;
  readonly expires_at: string | null;
  readonly created_at: Date | string;
  readonly updated_at: Date | string;
}

const roles: Readonly<Record<number, string>> = {
  [Level.minimal]: 'Minimal Access',
  [Level.guest]: 'Guest',
  [Level.planner]: 'Planner',
  [Level.reporter]: 'Reporter',
  [Level.developer]: 'Developer',
  [Level.maintainer]: 'Maintainer',
  [Level.owner]: 'Owner',
};

export const groupMemberPayload = (event: string, group: Namespace, user: User, member: Membership) => ({
  created_at: iso(member.created_at),
  updated_at: iso(member.updated_at),
  event_name: event,
  group_name: group.name,
  group_path: group.path,
  group_id: group.id,
  user_username: user.username,
  user_name: user.name,
  user_email: shownEmail(user),
  user_id: user.id,
  group_access: roles[member.level] ?? 'No access',
  group_plan: null,
  expires_at: member.expires_at === null ? null : `${member.expires_at}T00:00:00Z`,
});

export const projectMemberPayload = (event: string, subject: ProjectSubject, user: User, member: Membership) => ({
  created_at: iso(member.created_at),
  updated_at: iso(member.updated_at),
  event_name: event,
  access_level: roles[member.level] ?? 'No access',
  project_id: subject.project.id,
  project_name: subject.project.name,
  project_path: subject.project.path,
  project_path_with_namespace: fullPathOf(subject),
  project_visibility: subject.project.visibility,
  user_email: user.email,
  user_name: user.name,
  user_username: user.username,
  user_id: user.id,
});

export const userPayload = (
  event: string,
  user: Pick<User, 'id' | 'name' | 'username' | 'email'> & {
    readonly created_at: Date | string;
    readonly updated_at: Date | string;
  },
  more: object = {},
) => ({
  created_at: iso(user.created_at),
  updated_at: iso(user.updated_at),
  event_name: event,
  name: user.name,
  email: user.email,
  user_id: user.id,
  username: user.username,
  ...more,
});

export const keyPayload = (event: string, key: PayloadOf<(typeof sshKeyFacts)['created']>) => ({
  event_name: event,
  created_at: iso(key.created_at),
  updated_at: iso(key.created_at),
  username: key.username,
  key: key.key,
  id: key.id,
});
