/** The API of reactions, on every kind of thing and on the comments about it. */
import Type, { type TProperties } from 'typebox';
import { transaction } from '../../../kernel/db/index.ts';
import type { AwardEmoji as AwardRow } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, notFound, recordNotFound, unauthorized } from '../../../kernel/http/errors.ts';
import { offsetPage, withItems } from '../../../kernel/http/pagination.ts';
import { Int, Str } from '../../../kernel/http/params/schema.ts';
import { type Context, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findReferences } from '../../identity/index.ts';
import {
  declarations,
  mayComment,
  type NoteableKind,
  type NoteRouteDependencies,
  type Place,
  valuesOf,
} from '../notes/index.ts';
import { resolveTodos } from '../todos/index.ts';
import { AwardEmoji, awardJson } from './award-emoji.entity.ts';
import * as queries from './award-emoji.queries.ts';
import { emojiName, recordAward } from './award-emoji.service.ts';

interface Values {
  readonly note_id: number;
  readonly award_id: number;
  readonly name: string;
}

export function awardRoutes(deps: NoteRouteDependencies, kind: NoteableKind): Route[] {
  const { db, externalUrl, notes } = deps;
  const { base, parent, read, noteId, place } = declarations(kind);
  const declared = { credentials: ['token', 'session'], tag: 'Award emoji' } as const;
  const params = (properties: TProperties) => Type.Object(properties);

  async function shown(rows: readonly AwardRow[]) {
    const people = await findReferences(
      db,
      rows.map((row) => row.user_id),
    );
    return rows.flatMap((row) => {
      const user = people.get(row.user_id);
      return user ? [awardJson(row, user, externalUrl)] : [];
    });
  }

  /** Of a thing, or of a comment that the caller may read. */
  async function target(context: Pick<Context, 'subject' | 'params' | 'caller'>, onNote: boolean) {
    const at = await place(context);
    const note = onNote ? await notes.find(at, context.caller, valuesOf<Values>(context).note_id) : null;
    return { at, note, awardable: { type: kind.type, id: at.noteable.id, noteId: note?.id ?? null } };
  }

  async function award(at: Place, awardable: queries.Awardable, userId: number, written: string) {
    const name = emojiName(written);
    if (name === null) throw notFound('Award Emoji Name is not a valid emoji name');
    return await transaction(db, async (tx) => {
      const made = await queries.insertAward(tx, awardable, userId, name);
      if (!made) throw notFound('Award Emoji Name has already been taken');
      await recordAward(tx, 'awarded', made, at.subject, userId);
      await resolveTodos(tx, at.noteable, userId);
      return made;
    });
  }

  return [false, true].flatMap((onNote) => {
    const all = `${base}${onNote ? '/notes/:note_id' : ''}/award_emoji`;
    const about = onNote ? `a comment on ${kind.noun}` : kind.noun;
    const owner = { ...parent, ...(onNote ? noteId : {}) };
    const one = { ...owner, award_id: Int({ description: 'Id of the reaction' }) };
    const find = async (awardable: queries.Awardable, id: number): Promise<AwardRow> => {
      const found = await queries.awardOf(db, awardable, id);
      if (!found) throw recordNotFound();
      return found;
    };
    return [
      route({
        ...declared,
        method: 'GET',
        path: all,
        summary: `List emoji reactions of ${about}`,
        access: read,
        pagination: 'offset',
        params: params(owner),
        responses: { 200: ListOf(AwardEmoji) },
        handler: async (context) => {
          const { awardable } = await target(context, onNote);
          const { rows, total } = await queries.listAwards(db, awardable, context.page);
          const paged = offsetPage(context.page, rows, total);
          return withItems(paged, await shown(paged.items));
        },
      }),
      route({
        ...declared,
        method: 'GET',
        path: `${all}/:award_id`,
        summary: `Get an emoji reaction of ${about}`,
        access: read,
        params: params(one),
        responses: { 200: AwardEmoji },
        handler: async (context) => {
          const { awardable } = await target(context, onNote);
          const [found] = await shown([await find(awardable, valuesOf<Values>(context).award_id)]);
          if (!found) throw recordNotFound();
          return found;
        },
      }),
      route({
        ...declared,
        method: 'POST',
        path: all,
        summary: `Add an emoji reaction to ${about}`,
        access: read,
        params: params({
          ...owner,
          name: Str({
            minLength: 1,
            maxLength: 255,
            pattern: '^[a-zA-Z0-9_+-]+$',
            description: 'Name of the emoji, without colons',
          }),
        }),
        responses: { 201: AwardEmoji },
        handler: async (context) => {
          const { user } = context.caller;
          if (!user) throw unauthorized();
          const { at, note, awardable } = await target(context, onNote);
          if (note?.system || !mayComment(context.caller, kind, at)) throw forbidden();
          const made = await award(at, awardable, user.id, valuesOf<Values>(context).name);
          const [found] = await shown([made]);
          if (!found) throw recordNotFound();
          return found;
        },
      }),
      route({
        ...declared,
        method: 'DELETE',
        path: `${all}/:award_id`,
        summary: `Delete an emoji reaction of ${about}`,
        access: read,
        params: params(one),
        responses: { 204: Empty },
        conditional: true,
        handler: async (context) => {
          const { user, admin } = context.caller;
          const { at, awardable } = await target(context, onNote);
          const found = await find(awardable, valuesOf<Values>(context).award_id);
          if (!user || (found.user_id !== user.id && !admin)) throw unauthorized();
          context.unmodifiedSince(found.updated_at);
          await transaction(db, async (tx) => {
            if (!(await queries.deleteAward(tx, found.id))) throw recordNotFound();
            await recordAward(tx, 'revoked', found, at.subject, user.id);
          });
        },
      }),
    ];
  });
}
