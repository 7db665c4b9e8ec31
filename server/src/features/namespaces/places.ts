/** A group or project, for what both have in the same way. */
import type { GroupSubject, ProjectSubject } from '../../kernel/authz/subjects.ts';

export type Place = GroupSubject | ProjectSubject;

/** The columns of a row that belongs to one of both. */
export const placeColumns = (place: Place) =>
  place.kind === 'group'
    ? { namespace_id: place.group.id, project_id: null }
    : { namespace_id: null, project_id: place.project.id };
