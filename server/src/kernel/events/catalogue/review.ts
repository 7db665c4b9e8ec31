/** Facts about merge requests. */
import Type from 'typebox';
import { defineFacts, payload } from '../fact.ts';

const peopleChange = payload({ previous: Type.Array(Type.Integer()), current: Type.Array(Type.Integer()) });

export const mergeRequestFacts = defineFacts(
  'merge_request',
  // Approved by the last whose approval was needed, or by one of them, and the same taken back.
  [
    'opened',
    'updated',
    'head_changed',
    'closed',
    'reopened',
    'merged',
    'approved',
    'approval',
    'unapproved',
    'unapproval',
  ],
  payload({
    merge_request_id: Type.Integer(),
    iid: Type.Integer(),
    /** Columns that changed, and `labels`. */
    changes: Type.Optional(Type.Record(Type.String(), payload({ previous: Type.Unknown(), current: Type.Unknown() }))),
    /** Assignees and reviewers that changed, by id. */
    people: Type.Optional(payload({ assignee: Type.Optional(peopleChange), reviewer: Type.Optional(peopleChange) })),
    /** The job whose push moved the head. */
    job_id: Type.Optional(Type.Integer()),
    /** It was set to be merged when all checks pass. */
    auto_merge: Type.Optional(Type.Literal(true)),
    /** The push that moved the head wanted no pipeline. */
    skip_ci: Type.Optional(Type.Literal(true)),
  }),
);

export const reviewFacts = Object.values(mergeRequestFacts);
