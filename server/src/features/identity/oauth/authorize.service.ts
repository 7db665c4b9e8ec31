/** The authorization request: what is wrong with it, who may be told so, and what people are asked. */
import type { AuditOrigin } from '../../../kernel/audit/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { OauthApplication, User } from '../../../kernel/db/rows.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { acceptsRedirect, findApplication, scopesOf } from '../applications/index.ts';
import type { Grants } from './grants.service.ts';
import { hasConsented } from './oauth.queries.ts';
import { type OauthErrorCode, oauthError, type Parameters, required } from './requests.ts';
import { checkWideAccess, scopesFor } from './scopes.ts';

/** A request whose application and redirect URI are right and that asks for something. */
export interface AuthorizationRequest {
  readonly application: OauthApplication;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly scopes: readonly string[];
  readonly challenge: string | null;
}

/** Either a question for the person, or where their browser goes. */
export type Prepared =
  | { readonly kind: 'ask' | 'go'; readonly request: AuthorizationRequest }
  | { readonly kind: 'refused'; readonly location: string };

const challengePattern = /^[A-Za-z0-9_-]{43}$/;

/** An error that the application is told through the browser. */
class ToldByRedirect extends Error {
  readonly location: string;
  constructor(location: string) {
    super('told by redirect');
    this.location = location;
  }
}

export interface AuthorizeDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly grants: Grants;
  /** Without a trailing slash. */
  readonly externalUrl: string;
}

export function createAuthorize({ db, settings, grants, externalUrl }: AuthorizeDependencies) {
  /** The redirect URI with the answer; `iss` tells applications with several providers whose it is (RFC 9207). */
  function answerAt(redirectUri: string, state: string | undefined, values: Readonly<Record<string, string>>): string {
    const query = new URLSearchParams({ ...values, ...(state === undefined ? {} : { state }), iss: externalUrl });
    return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`;
  }

  async function read(parameters: Parameters, user: User): Promise<AuthorizationRequest> {
    // Until these two are right nobody is sent anywhere: whoever made the address would choose where.
    const application = await findApplication(db, required(parameters, 'client_id'));
    if (!application) throw oauthError('invalid_client', 'There is no such application.', 401);
    const redirectUri = required(parameters, 'redirect_uri');
    if (!acceptsRedirect(application, redirectUri))
      throw oauthError('invalid_request', 'The redirect URI is not one of those that the application registered.');
    const { state } = parameters;
    const refuse = (error: OauthErrorCode, error_description: string) =>
      new ToldByRedirect(answerAt(redirectUri, state, { error, error_description }));

    const type = parameters.response_type;
    if (type === undefined) throw refuse('invalid_request', 'Missing required parameter: response_type.');
    if (type !== 'code') throw refuse('unsupported_response_type', 'The response type must be code.');
    if ((parameters.response_mode ?? 'query') !== 'query')
      throw refuse('invalid_request', 'The response mode must be query.');

    const challenge = parameters.code_challenge ?? null;
    const method = parameters.code_challenge_method;
    if (challenge === null && (method !== undefined || !application.confidential))
      throw refuse('invalid_request', 'A code challenge is required.');
    if (challenge !== null && method !== 'S256')
      throw refuse('invalid_request', 'The code challenge method must be S256.');
    if (challenge !== null && !challengePattern.test(challenge))
      throw refuse('invalid_request', 'The code challenge is not one of S256.');

    const asked = parameters.scope === undefined ? application.scopes : scopesOf(parameters.scope);
    if (asked.length === 0 || asked.some((scope) => !application.scopes.includes(scope)))
      throw refuse('invalid_scope', 'The scope is unknown or wider than what the application registered.');
    const scopes = scopesFor(user, asked);
    if (scopes.length === 0) throw refuse('invalid_scope', 'The scope needs an administrator.');
    await checkWideAccess(settings, user, application, scopes);
    return { application, redirectUri, state, scopes, challenge };
  }

  const approve = async (request: AuthorizationRequest, user: User, origin: AuditOrigin): Promise<string> => {
    const { application, redirectUri, state, scopes, challenge } = request;
    const code = await grants.consent({ user, application, scopes }, { redirectUri, challenge }, origin);
    return answerAt(redirectUri, state, { code });
  };

  /** Throws what the person is told because nobody else may be. */
  const prepare = async (parameters: Parameters, user: User): Promise<Prepared> => {
    try {
      const request = await read(parameters, user);
      const { application, scopes } = request;
      // What cannot keep a secret could be anybody: it is asked for each time.
      const known = application.confidential && (await hasConsented(db, user.id, application.id, scopes));
      return { kind: application.trusted || known ? 'go' : 'ask', request };
    } catch (error) {
      if (error instanceof ToldByRedirect) return { kind: 'refused', location: error.location };
      throw error;
    }
  };

  return {
    prepare,
    approve,
    deny: ({ redirectUri, state }: AuthorizationRequest): string =>
      answerAt(redirectUri, state, { error: 'access_denied', error_description: 'The person denied the request.' }),
  };
}

export type Authorize = ReturnType<typeof createAuthorize>;
