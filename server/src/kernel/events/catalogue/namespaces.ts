/** Facts about groups, projects and their members. */
import Type from 'typebox';
import { defineFact, defineFacts, instant, nullable, payload } from '../fact.ts';

const aboutProject = payload({ project_id: Type.Integer() });
/** With the former full path where it changed. */
const changedProject = payload({ project_id: Type.Integer(), old_path: Type.Optional(Type.String()) });

export const projectFacts = {
  ...defineFacts('project', ['created', 'marked_for_deletion', 'unrelated'], aboutProject),
  ...defineFacts('project', ['updated', 'transferred'], changedProject),
};
/** With what the project was: nobody can look it up any more. */
export const projectDeleted = defineFact(
  'project.deleted',
  payload({
    project_id: Type.Integer(),
    name: Type.String(),
    path: Type.String(),
    visibility: Type.String(),
    path_with_namespace: Type.String(),
    group_ids: Type.Array(Type.Integer()),
    created_at: instant,
    updated_at: instant,
  }),
);

export const groupFacts = defineFacts(
  'group',
  ['created', 'marked_for_deletion'],
  payload({ group_id: Type.Integer() }),
);
/** With the former path where it changed. */
export const groupUpdated = defineFact(
  'group.updated',
  payload({
    group_id: Type.Integer(),
    old_path: Type.Optional(Type.String()),
    old_full_path: Type.Optional(Type.String()),
  }),
);
export const groupDeleted = defineFact(
  'group.deleted',
  payload({
    group_id: Type.Integer(),
    name: Type.String(),
    path: Type.String(),
    full_path: Type.String(),
    parent_id: nullable(Type.Integer()),
    group_ids: Type.Array(Type.Integer()),
    created_at: instant,
    updated_at: instant,
  }),
);

/** A user's role, with what it was where it is gone; or a group that is invited. */
export const memberChanged = defineFact(
  'member.changed',
  Type.Union([
    payload({
      user_id: Type.Integer(),
      change: Type.Enum(['added', 'updated', 'removed', 'expired']),
      level: Type.Optional(Type.Integer()),
      expires_at: Type.Optional(nullable(Type.String())),
      created_at: Type.Optional(instant),
    }),
    payload({ group_id: Type.Integer(), change: Type.String() }),
  ]),
);

/** `requested_at` of an access request; `denied` by somebody in charge. */
export const accessRequestFacts = defineFacts(
  'access_request',
  ['created', 'denied', 'withdrawn'],
  payload({ user_id: Type.Integer(), requested_at: instant }),
);

export const namespaceFacts = [
  ...Object.values(projectFacts),
  projectDeleted,
  ...Object.values(groupFacts),
  groupUpdated,
  groupDeleted,
  memberChanged,
  ...Object.values(accessRequestFacts),
] as const;
