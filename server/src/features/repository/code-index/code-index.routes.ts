/** Routes of the index of code: how far it is, and building it again. */
import Type from 'typebox';
import { instanceEntity, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { Int, Optional } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { CodeIndexes } from './code-index.entity.ts';
import { indexesOf, indexesOverview } from './code-index.queries.ts';
import type { CodeIndexing } from './code-index.ts';

const common = {
  credentials: ['token', 'session'],
  tag: 'Search',
  access: { on: 'instance', ability: 'admin' },
} as const;

export function codeIndexRoutes(db: Db, indexing: Pick<CodeIndexing, 'rebuild'>): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/admin/code_indexes',
      summary: 'Get the status of the code index',
      params: Type.Object({}),
      responses: { 200: CodeIndexes },
      handler: () => indexesOverview(db),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/admin/code_indexes/rebuild',
      summary: 'Rebuild the code index of a project, of the wiki of a group, or of everything',
      params: Type.Object({
        project_id: Optional(
          Int({ minimum: 1, maximum: 2_147_483_647, description: 'Id of the project; all when absent' }),
        ),
        group_id: Optional(Int({ minimum: 1, maximum: 2_147_483_647, description: 'Id of a group, for its wiki' })),
      }),
      responses: { 202: CodeIndexes },
      handler: async (context) => {
        const { project_id, group_id } = context.params;
        const of = { project_id: project_id ?? null, namespace_id: group_id ?? null };
        await transaction(db, async (tx) => {
          const indexes = await indexesOf(tx, of);
          if ((project_id ?? group_id) !== undefined && indexes.length === 0) throw notFound('Index');
          await indexing.rebuild(tx, indexes);
          await recordAudit(tx, {
            ...originOf(context),
            entity: instanceEntity,
            event: 'code_index_rebuilt',
            details: {
              ...(project_id === undefined ? {} : { project_id }),
              ...(group_id === undefined ? {} : { group_id }),
            },
          });
        });
        return await indexesOverview(db);
      },
    }),
  ];
}
