/** Facts about issues and epics. */
import Type from 'typebox';
import { defineFact, defineFacts, payload } from '../fact.ts';

export const issueFacts = defineFacts(
  'issue',
  ['opened', 'updated', 'closed', 'reopened', 'moved', 'deleted'],
  payload({
    issue_id: Type.Integer(),
    iid: Type.Integer(),
    /** When the fact is delivered the row may be gone. */
    title: Type.String(),
    /** Of a new one: its text names neither anybody nor anything. Who looks for that need not read it. */
    names_nothing: Type.Optional(Type.Boolean()),
    /** Columns that changed, `labels` and `assignees`. */
    changes: Type.Optional(Type.Record(Type.String(), payload({ previous: Type.Unknown(), current: Type.Unknown() }))),
  }),
);

export const epicFacts = defineFacts(
  'epic',
  ['opened', 'updated', 'closed', 'reopened', 'deleted'],
  payload({
    epic_id: Type.Integer(),
    iid: Type.Integer(),
    title: Type.String(),
  }),
);

/** An open issue is due tomorrow; in the name of its author. */
export const issueDue = defineFact('issue.due', payload({ issue_id: Type.Integer(), iid: Type.Integer() }));

export const planningFacts = [...Object.values(issueFacts), issueDue, ...Object.values(epicFacts)];
