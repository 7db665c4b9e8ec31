/** `POST /api/graphql`, beside the REST API. */
import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { anonymous } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { authenticate, type CredentialResolver, requireScope } from '../../../kernel/http/credentials.ts';
import { plainError } from '../../../kernel/http/errors.ts';
import { readAll } from '../../../kernel/http/params/body.ts';
import { findUser } from '../users/index.ts';
import type { Graphql } from './schema.ts';

const Asked = Type.Object({
  query: Type.String(),
  variables: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  operationName: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});

const largestBody = 100_000;
/** A token needs one of these. */
const scopes = ['api', 'read_api'];

function asked(text: string): Static<typeof Asked> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw plainError(400, 'Invalid JSON');
  }
  if (!Value.Check(Asked, value)) throw plainError(400, 'Send a JSON object with query, variables and operationName');
  return value;
}

export function mountGraphql(
  server: FastifyInstance,
  deps: { readonly db: Db; readonly resolver: CredentialResolver; readonly graphql: Graphql },
): void {
  server.post('/api/graphql', async (request, reply) => {
    const caller = (await authenticate(deps.resolver, request, {}, ['token', 'session'])) ?? anonymous;
    requireScope(caller, scopes);
    const text = (await readAll(request.raw, 'max_parameter_bytes', largestBody)).toString('utf8');
    const { query, variables = null, operationName = null } = asked(text);
    const user = caller.user ? ((await findUser(deps.db, caller.user.id)) ?? null) : null;
    const answer = await deps.graphql.execute({ query, variables, operationName }, user);
    return reply
      .header('Content-Type', 'application/json')
      .header('Cache-Control', 'no-store')
      .send(JSON.stringify(answer));
  });
}
