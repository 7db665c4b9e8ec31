/** The route of what can be imported. */
import Type from 'typebox';
import { Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { Importable, importableKinds, type importableLister, importProviders } from './importable.ts';

export function importableRoutes(list: ReturnType<typeof importableLister>): Route[] {
  return [
    route({
      method: 'POST',
      path: '/import/repositories',
      credentials: ['token', 'session'],
      tag: 'Exports and imports',
      access: { on: 'instance', ability: 'signed_in' },
      summary: 'List the repositories, projects or groups that a token sees on another server',
      params: Type.Object({
        provider: OneOf(importProviders, { description: 'Product of the server; `gitlab` for a direct transfer' }),
        kind: Optional(
          OneOf(importableKinds, { default: 'repositories', description: '`groups` is for a direct transfer' }),
        ),
        url: Optional(
          Str({ maxLength: 2048, description: 'Address of the server; the public one of GitHub without it' }),
        ),
        username: Optional(Str({ maxLength: 255, description: 'Name of the user there, on Bitbucket Server' })),
        personal_access_token: Str({ minLength: 1, maxLength: 1024, description: 'Token there; it is not stored' }),
        page: Optional(Int({ minimum: 1, maximum: 10_000, default: 1, description: 'Pages have 50 items' })),
      }),
      responses: { 200: Importable },
      errors: [422],
      handler: ({ params, signal }) =>
        list(
          {
            provider: params.provider,
            kind: params.kind ?? 'repositories',
            url: params.url,
            username: params.username ?? '',
            token: params.personal_access_token,
            page: params.page ?? 1,
          },
          signal,
        ),
    }),
  ];
}
