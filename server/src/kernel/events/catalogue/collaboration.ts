/** Facts about milestones, comments and reactions. */
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

/** A reaction is added or taken back; it is all that is left of one that was. */
export const emojiFacts = defineFacts(
  'award_emoji',
  ['awarded', 'revoked'],
  payload({
    id: Type.Integer(),
    user_id: Type.Integer(),
    name: Type.String(),
    noteable_type: Type.Enum(['commit', 'issue', 'merge_request', 'snippet', 'epic']),
    noteable_id: nullable(Type.Integer()),
    note_id: nullable(Type.Integer()),
    created_at: instant,
    updated_at: instant,
  }),
);

export const collaborationFacts = [
  ...Object.values(milestoneFacts),
  ...Object.values(noteFacts),
  ...Object.values(emojiFacts),
] as const;
