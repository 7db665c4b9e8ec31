/** The API of the value stream of projects and groups. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { Count, Entity, Fields, ListOf, Nullable, Timestamp, Word } from '../../../kernel/http/entity.ts';
import { invalidRecord } from '../../../kernel/http/errors.ts';
import { DateTimeParam, IdOrPath, Optional } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { stages, stagesOf } from './value-stream.queries.ts';

const usualDays = 30;
const millisecondsPerDay = 86_400_000;

const ValueStream = Entity('ValueStream', {
  from: Timestamp(),
  to: Timestamp(),
  stages: ListOf(
    Fields({
      name: Word(stages, {
        description:
          '`issue`: created to closed; `code`: first push of the branch to merge request; `review`: merge request to merge; `deploy`: merge to the first deployment to production; `cycle`: first push to that deployment',
      }),
      count: Count({ description: 'How many issues or merge requests finished the stage' }),
      median_seconds: Nullable(Count({ description: 'Null where there are none' })),
    }),
  ),
});

export const valueStreamRoutes = (db: Db): Route[] =>
  (
    [
      { kind: 'project', noun: 'Project', access: { on: 'project', ability: 'read_project' } },
      { kind: 'group', noun: 'Group', access: { on: 'group', ability: 'read_group' } },
    ] as const
  ).map(({ kind, noun, access }) =>
    route({
      method: 'GET',
      path: `/${kind}s/:id/value_stream`,
      summary: `Get the value stream of a ${kind}: median times by stage`,
      tag: 'Analytics',
      credentials: ['token', 'session'],
      access,
      params: Type.Object({
        id: IdOrPath(noun),
        from: Optional(
          DateTimeParam({
            description: `What finished at or after this time; ${usualDays} days before \`to\` by default`,
          }),
        ),
        to: Optional(DateTimeParam({ description: 'What finished before this time; now by default' })),
      }),
      responses: { 200: ValueStream },
      handler: async ({ params, subject, caller }) => {
        const to = params.to ?? new Date();
        const from = params.from ?? new Date(to.getTime() - usualDays * millisecondsPerDay);
        if (from >= to) throw invalidRecord({ from: ['must be before to'] });
        return { from, to, stages: await stagesOf(db, subject, caller, { from, to }) };
      },
    }),
  );
