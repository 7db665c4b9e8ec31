/** Routes of applications: those of the instance, one's own, and those of a group. */
import Type, { type TObject, type TProperties } from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Access, Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { Application, ApplicationWithSecret, application } from './applications.entity.ts';
import { countApplications, findApplicationOf, listApplications } from './applications.queries.ts';
import type { ApplicationPlace, Applications, RegisteredApplication } from './applications.service.ts';

export interface ApplicationRouteDependencies {
  readonly db: Db;
  readonly applications: Applications;
  readonly settings: Settings;
}

const common = { credentials: ['token', 'session'], tag: 'Applications' } as const;

const name = Str({ maxLength: 255, description: 'What users read when they are asked' });
const redirectUri = Str({
  maxLength: 50_000,
  description:
    'Where answers go, one address on each line; HTTP beyond localhost where oauth_http_redirect_uris_enabled allows it. Compared exactly',
});
const scopes = Str({ maxLength: 1000, description: 'What it may ask for at most, with blanks between them' });
const confidential = Optional(Bool({ description: 'Whether it can keep its secret; true unless given' }));
const trusted = { trusted: Optional(Bool({ description: 'Whether users are not asked; false unless given' })) };
const applicationId = Int({ description: 'Id of the application, not its `application_id`' });

/** The values of both kinds of requests, whoever the application belongs to. */
interface Given {
  readonly name?: string;
  readonly redirect_uri?: string;
  readonly scopes?: string;
  readonly confidential?: boolean;
  readonly trusted?: boolean;
}

/** Whose applications a set of routes is about. */
interface Kind {
  readonly base: string;
  readonly whose: string;
  /** The parameter of one application. */
  readonly id: 'id' | 'application_id';
  readonly parent: TProperties;
  readonly own: TProperties;
  readonly access: Access;
  place(context: { readonly caller: Caller; readonly subject: unknown }): ApplicationPlace;
  /** Throws where nobody may register one. */
  mayRegister?(caller: Caller): Promise<void>;
}

const shown = ({ row, secret }: RegisteredApplication) => ({ ...application(row), secret });

export function applicationRoutes({ db, applications, settings }: ApplicationRouteDependencies): Route[] {
  const kinds: readonly Kind[] = [
    {
      base: '/applications',
      whose: 'of the instance',
      id: 'id',
      parent: {},
      own: trusted,
      access: { on: 'instance', ability: 'admin' },
      place: () => ({ owner: { kind: 'instance' }, path: '' }),
    },
    {
      base: '/user/applications',
      whose: 'of yours',
      id: 'id',
      parent: {},
      own: {},
      access: { on: 'instance', ability: 'signed_in' },
      place: ({ caller: { user } }) => {
        if (!user) throw unauthorized();
        return { owner: { kind: 'user', id: user.id }, path: user.username };
      },
      mayRegister: async ({ user }) => {
        if (user?.user_type !== 'human' || !(await settings.read()).user_oauth_applications) throw forbidden();
      },
    },
    {
      base: '/groups/:id/applications',
      whose: 'of a group',
      id: 'application_id',
      parent: { id: IdOrPath('group') },
      own: {},
      access: { on: 'group', ability: 'update_group' },
      place: ({ subject }) => {
        const { group } = subject as GroupSubject;
        return { owner: { kind: 'group', id: group.id }, path: group.full_path };
      },
    },
  ];

  const of = (kind: Kind): Route[] => {
    const { base, whose, parent, access } = kind;
    const oneOf = { ...parent, [kind.id]: applicationId };
    const idOf = (params: object) => (params as Readonly<Record<string, number>>)[kind.id] ?? 0;
    const find = async (place: ApplicationPlace, params: object) => {
      const row = await findApplicationOf(db, place.owner, idOf(params));
      if (!row) throw notFound('Application');
      return row;
    };
    return [
      route({
        ...common,
        access,
        method: 'GET',
        path: base,
        summary: `List applications ${whose}`,
        params: Type.Object(parent),
        pagination: 'offset',
        responses: { 200: ListOf(Application) },
        handler: async (context) => {
          const { owner } = kind.place(context);
          const [rows, total] = await Promise.all([
            listApplications(db, owner, context.page),
            countApplications(db, owner),
          ]);
          return mapPage(offsetPage(context.page, rows, total), application);
        },
      }),
      route({
        ...common,
        access,
        method: 'POST',
        path: base,
        summary: `Create an application ${whose}`,
        params: Type.Object({ ...parent, name, redirect_uri: redirectUri, scopes, confidential, ...kind.own }),
        responses: { 201: ApplicationWithSecret },
        handler: async (context) => {
          await kind.mayRegister?.(context.caller);
          const given = context.params as Given;
          const values = {
            name: given.name ?? '',
            redirectUri: given.redirect_uri ?? '',
            scopes: given.scopes ?? '',
            confidential: given.confidential ?? true,
            trusted: given.trusted ?? false,
          };
          return shown(await applications.create(kind.place(context), values, originOf(context)));
        },
      }),
      route({
        ...common,
        access,
        method: 'PUT',
        path: `${base}/:${kind.id}`,
        summary: `Update an application ${whose}`,
        params: Type.Object({
          ...oneOf,
          name: Optional(name),
          redirect_uri: Optional(redirectUri),
          scopes: Optional(scopes),
          confidential,
          ...kind.own,
        }) as TObject,
        responses: { 200: Application },
        handler: async (context) => {
          const place = kind.place(context);
          const row = await find(place, context.params);
          const given = context.params as Given;
          const values = {
            name: given.name ?? row.name,
            redirectUri: given.redirect_uri ?? row.redirect_uris.join('\n'),
            scopes: given.scopes ?? row.scopes.join(' '),
            confidential: given.confidential ?? row.confidential,
            trusted: given.trusted ?? row.trusted,
          };
          const changed = await applications.update(place, row.id, values, originOf(context));
          if (!changed) throw notFound('Application');
          return application(changed);
        },
      }),
      route({
        ...common,
        access,
        method: 'DELETE',
        path: `${base}/:${kind.id}`,
        summary: `Delete an application ${whose} with all its tokens`,
        conditional: true,
        params: Type.Object(oneOf) as TObject,
        responses: { 204: Empty },
        handler: async (context) => {
          const place = kind.place(context);
          const row = await find(place, context.params);
          context.unmodifiedSince(row.updated_at);
          await applications.remove(place, row, originOf(context));
        },
      }),
      route({
        ...common,
        access,
        method: 'POST',
        path: `${base}/:${kind.id}/renew-secret`,
        summary: `Renew the secret of an application ${whose}`,
        params: Type.Object(oneOf) as TObject,
        responses: { 201: ApplicationWithSecret },
        handler: async (context) => {
          const place = kind.place(context);
          const row = await find(place, context.params);
          const renewed = await applications.renewSecret(place, row.id, originOf(context));
          if (!renewed) throw notFound('Application');
          return shown(renewed);
        },
      }),
    ];
  };
  return kinds.flatMap(of);
}
