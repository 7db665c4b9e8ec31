/** `/users/:username/exists`: whether a username is taken, outside the API, for sign-up forms. */
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { anonymous } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { authenticate, type CredentialResolver } from '../../../kernel/http/credentials.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { findUserByUsername, pathTaken } from './users.queries.ts';

export interface UsernameExistsDependencies {
  readonly db: Db;
  readonly settings: Pick<Settings, 'read'>;
  readonly credentials: CredentialResolver;
  /** Counts a check; why it is refused, null when it is not. */
  readonly checkRefusal: (caller: Caller, address: string) => Promise<Error | null>;
}

export function mountUsernameExists(server: FastifyInstance, deps: UsernameExistsDependencies): void {
  const { db, settings, credentials } = deps;
  server.get<{ Params: { username: string } }>('/users/:username/exists', async (request, reply) => {
    const caller = (await authenticate(credentials, request, {}, ['token', 'session'])) ?? anonymous;
    const refusal = await deps.checkRefusal(caller, request.ip);
    if (refusal) throw refusal;
    // Without registration strangers have no use for the answer but to list accounts.
    if (caller.user === null && !(await settings.read()).signup_enabled)
      throw new HttpError(401, { error: 'You must be authenticated to access this path.' });
    const { username } = request.params;
    // A group's path is taken as well: a new user gets a namespace of that path.
    const exists = (await findUserByUsername(db, username)) !== undefined || (await pathTaken(db, username));
    return reply
      .header('Content-Type', 'application/json')
      .header('Cache-Control', 'no-store')
      .send(JSON.stringify({ exists }));
  });
}
