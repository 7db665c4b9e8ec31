/** The import of gists, by the neutral name of the specification and by the one that clients call. */
import Type, { type TSchema } from 'typebox';
import { plainError } from '../../../kernel/http/errors.ts';
import { Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { GistImports } from './gist-imports.service.ts';
import { apiOf } from './hosted.ts';

/** Parameters whose names differ from one spelling of a route to the other; handlers read them by name. */
const under = (parameters: Readonly<Record<string, TSchema>>): object => parameters;

export const gistImportRoutes = (imports: GistImports): Route[] =>
  (['hostedgit', 'github'] as const).map((provider) => {
    const hostname = `${provider}_hostname`;
    return route({
      credentials: ['token', 'session'],
      tag: 'Exports and imports',
      access: { on: 'instance', ability: 'signed_in' },
      method: 'POST',
      path: `/import/${provider}/gists`,
      summary: 'Import your gists as personal snippets, in the background',
      params: Type.Object({
        personal_access_token: Str({ minLength: 1, maxLength: 1024, description: 'Token of the other server' }),
        ...under({
          [hostname]: Optional(
            Str({ minLength: 1, maxLength: 2048, description: 'Address of an installation of its own' }),
          ),
        }),
      }),
      responses: { 202: Empty },
      errors: [422],
      handler: async ({ params, caller, signal }) => {
        const given: Readonly<Record<string, unknown>> = params;
        const host = given[hostname];
        const base = apiOf(typeof host === 'string' ? host : undefined);
        if (base === null) throw plainError(400, `Invalid URL: ${String(host)}`);
        await imports.start(caller, { base, tokens: [params.personal_access_token] }, signal);
      },
    });
  });
