/** Facts about issues and epics. */
import Type from 'typebox';
import { defineFacts, payload } from '../fact.ts';

export const issueFacts = defineFacts(
  'issue',
  ['opened', 'updated', 'closed', 'reopened', 'moved', 'deleted'],
  payload({
    issue_id: Type.Integer(),
    iid: Type.Integer(),
    /** When the fact is delivered the row may be gone. */
    title: Type.String(),
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

export const planningFacts = [...Object.values(issueFacts), ...Object.values(epicFacts)];
