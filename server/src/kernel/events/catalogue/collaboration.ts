/** Facts about milestones and comments. */
import Type from 'typebox';
import { defineFacts, instant, nullable, payload } from '../fact.ts';

/** All of the milestone: when the fact is delivered the row may be gone, or different. */
export const milestoneFacts = defineFacts(
  'milestone',
  ['created', 'updated', 'closed', 'reopened', 'deleted'],
  payload({
    milestone_id: Type.Integer(),
    id: Type.Integer(),
    iid: Type.Integer(),
    project_id: nullable(Type.Integer()),
    namespace_id: nullable(Type.Integer()),
    title: Type.String(),
    description: nullable(Type.String()),
    state: Type.Enum(['active', 'closed']),
    start_date: nullable(Type.String()),
    due_date: nullable(Type.String()),
    created_at: instant,
    updated_at: instant,
  }),
);

/** `title` is that of the subject of the comment; `names_nothing` as of issues, of a comment of a person. */
export const noteFacts = defineFacts(
  'note',
  ['created', 'updated'],
  payload({ note_id: Type.Integer(), title: Type.String(), names_nothing: Type.Optional(Type.Boolean()) }),
);

export const collaborationFacts = [...Object.values(milestoneFacts), ...Object.values(noteFacts)] as const;
