/** The API of subscriptions to things: subscribe and unsubscribe, which answer the thing, or 304 where nothing changes. */
import Type from 'typebox';
import { transaction } from '../../../kernel/db/index.ts';
import { unauthorized } from '../../../kernel/http/errors.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { declarations, type FollowedKind, type NoteRouteDependencies } from '../notes/index.ts';
import { isSubscribed, setSubscribed } from './subscriptions.queries.ts';

export function subscriptionRoutes({ db }: NoteRouteDependencies, kind: FollowedKind): Route[] {
  const { base, parent, read, place } = declarations(kind);
  const { followed } = kind;
  return ([true, false] as const).map((wanted) =>
    route({
      credentials: ['token', 'session'],
      tag: followed.tag,
      method: 'POST',
      path: `${base}/${wanted ? 'subscribe' : 'unsubscribe'}`,
      summary: wanted ? `Subscribe to ${kind.noun}` : `Unsubscribe from ${kind.noun}`,
      access: read,
      params: Type.Object(parent),
      responses: { 201: followed.entity, 304: Empty },
      handler: async (context) => {
        const { user } = context.caller;
        if (!user) throw unauthorized();
        const at = await place(context);
        const { id } = at.noteable;
        if (id === null) return answer(304);
        const people = await followed.people(db, id);
        if ((await isSubscribed(db, at.noteable, user.id, people)) === wanted) return answer(304);
        const said = await transaction(db, (tx) => setSubscribed(tx, { type: kind.type, id }, user.id, wanted));
        if (!said) return answer(304);
        return await followed.show(at, context.caller);
      },
    }),
  );
}
