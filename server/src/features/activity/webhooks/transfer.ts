/** Webhooks of a project in an archive. */
import Type from 'typebox';
import { Bool, List, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { once, type Relation, relation, removing } from '../../namespaces/index.ts';
import { longestFilter, mostHooks, sharedEvents } from './hooks.events.ts';
import { countHooks } from './hooks.queries.ts';
import * as queries from './transfer.queries.ts';

const text = (maxLength: number) => Str({ maxLength });
/** An address of a web page. */
const link = Str({ minLength: 1, maxLength: 2048, pattern: '^https?://' });

export const hookRelation: Relation = relation({
  name: 'hooks',
  schema: Type.Object({
    name: Optional(OrNull(text(255))),
    description: Optional(OrNull(text(2048))),
    url: link,
    events: List(OneOf(sharedEvents)),
    push_events_branch_filter: Optional(OrNull(text(longestFilter))),
    branch_filter_strategy: OneOf(['wildcard', 'regex', 'all_branches']),
    enable_ssl_verification: Bool(),
  }),
  rows: (db, projectId) => once(queries.hooksOf(db, projectId)),
  insert: async (tx, row, { projectId, refusedAddress }) => {
    // Expressions are checked where hooks are made; here they are left out.
    if (row.branch_filter_strategy === 'regex') return 'filters branches by an expression';
    if ((await countHooks(tx, { kind: 'project', project: { id: projectId } })) >= mostHooks.project)
      return `is one too many: a project has ${mostHooks.project} at most`;
    return (await refusedAddress(row.url)) ?? (await queries.insertHook(tx, projectId, row));
  },
  remove: removing('web_hooks'),
});
