/** Routes of suggestions: applying one, or several at once. */
import Type from 'typebox';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { invalidParameters, notFound } from '../../../kernel/http/errors.ts';
import { Int, List, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { Suggestion, type SuggestionJson } from '../../collaboration/notes/index.ts';

const common = {
  method: 'PUT',
  credentials: ['token', 'session'],
  tag: 'Suggestions',
  // Who may push to the branch: asked of each suggestion.
  access: { on: 'instance', ability: 'signed_in' },
  errors: [404],
} as const;
const commit_message = Optional(Str({ maxLength: 100_000, description: 'Message of the commit, with placeholders' }));

type Apply = (caller: Caller, ids: readonly number[], message: string | undefined) => Promise<SuggestionJson[]>;

export function suggestionRoutes(apply: Apply): Route[] {
  return [
    route({
      ...common,
      path: '/suggestions/batch_apply',
      summary: 'Apply several suggestions in one commit',
      params: Type.Object({
        ids: List(Int(), { commas: true, maxItems: 100, description: 'Ids of suggestions' }),
        commit_message,
      }),
      responses: { 200: ListOf(Suggestion) },
      handler: async ({ params, caller }) => {
        if (params.ids.length === 0) throw invalidParameters(['ids is empty']);
        return await apply(caller, params.ids, params.commit_message);
      },
    }),
    route({
      ...common,
      path: '/suggestions/:id/apply',
      summary: 'Apply a suggestion',
      params: Type.Object({ id: Int({ description: 'Id of the suggestion' }), commit_message }),
      responses: { 200: Suggestion },
      handler: async ({ params, caller }) => {
        const [applied] = await apply(caller, [params.id], params.commit_message);
        if (!applied) throw notFound('Suggestion');
        return applied;
      },
    }),
  ];
}
