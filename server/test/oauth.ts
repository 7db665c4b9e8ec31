/** Applications, people at their browsers, and tokens of both, for tests. */
import { createHash, randomBytes } from 'node:crypto';
import type { User } from '../src/kernel/db/rows.ts';
import type { RequestParts, TestApp, TestResponse } from './app.ts';
import { buildAdmin, buildToken, buildUser, unique } from './factories.ts';

export const password = 'correct horse battery';

export interface BuiltApplication {
  readonly id: number;
  readonly application_id: string;
  readonly secret: string;
  readonly redirect: string;
}

export interface ApplicationOptions {
  readonly name?: string;
  readonly redirect?: string;
  readonly scopes?: string;
  readonly confidential?: boolean;
  readonly trusted?: boolean;
}

const administrators = new WeakMap<object, Promise<string>>();
/** One administrator's token for each test application. */
function administrator(app: TestApp): Promise<string> {
  const known =
    administrators.get(app) ?? buildAdmin(app).then(async (user) => (await buildToken(app, { user })).secret);
  administrators.set(app, known);
  return known;
}

/** An application of the instance. */
export async function buildApplication(app: TestApp, options: ApplicationOptions = {}): Promise<BuiltApplication> {
  const redirect = options.redirect ?? 'https://client.example/callback';
  const made = await app.api<Omit<BuiltApplication, 'redirect'>>('POST', '/applications', {
    token: await administrator(app),
    json: {
      name: options.name ?? unique('application'),
      redirect_uri: redirect,
      scopes: options.scopes ?? 'api read_api read_user',
      confidential: options.confidential ?? true,
      trusted: options.trusted ?? false,
    },
  });
  if (made.status !== 201) throw new Error(`no application: ${made.status} ${JSON.stringify(made.body)}`);
  return { ...made.body, redirect: redirect.split('\n', 1)[0] ?? '' };
}

/** Somebody who is signed in. */
export interface Visitor {
  readonly user: User;
  readonly headers: Readonly<Record<string, string>>;
}

export async function buildVisitor(app: TestApp, given?: User): Promise<Visitor> {
  const user = given ?? (await buildUser(app, { password }));
  const json = { login: user.username, password };
  const got = await app.request<{ csrf_token: string }>('POST', '/-/session', { json });
  const cookie = got.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  return { user, headers: { Cookie: cookie, 'X-CSRF-Token': got.body.csrf_token } };
}

export interface OauthTokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
  readonly created_at: number;
}
export interface OauthRefusal {
  readonly error: string;
  readonly error_description: string;
}

export const newVerifier = () => randomBytes(32).toString('base64url');
export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

/** The parameters of an authorization request; undefined leaves one out. */
export const authorizationRequest = (
  application: BuiltApplication,
  more: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> => {
  const all = {
    client_id: application.application_id,
    redirect_uri: application.redirect,
    response_type: 'code',
    state: 'the state',
    ...more,
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
};

/** The person presses the button; answers where their browser goes. */
export async function consent(app: TestApp, visitor: Visitor, request: Record<string, string>): Promise<URL> {
  const got = await app.request<{ location: string }>('POST', '/oauth/authorize', {
    headers: visitor.headers,
    json: request,
  });
  if (got.status !== 200) throw new Error(`no consent: ${got.status} ${JSON.stringify(got.body)}`);
  return new URL(got.body.location);
}

export const tokenRequest = <T = OauthTokens & OauthRefusal>(
  app: TestApp,
  form: Readonly<Record<string, string | undefined>>,
  more: RequestParts = {},
): Promise<TestResponse<T>> =>
  app.request<T>('POST', '/oauth/token', { form: JSON.parse(JSON.stringify(form)) as Record<string, string>, ...more });

const proof = (application: BuiltApplication) => ({
  client_id: application.application_id,
  client_secret: application.secret,
});

/** The whole flow of a confidential application. */
export async function buildOauthTokens(
  app: TestApp,
  options: { readonly application?: BuiltApplication; readonly visitor?: Visitor; readonly scope?: string } = {},
): Promise<OauthTokens & { readonly application: BuiltApplication; readonly visitor: Visitor }> {
  const application = options.application ?? (await buildApplication(app));
  const visitor = options.visitor ?? (await buildVisitor(app));
  const location = await consent(app, visitor, authorizationRequest(application, { scope: options.scope }));
  const got = await tokenRequest(app, {
    grant_type: 'authorization_code',
    code: location.searchParams.get('code') ?? '',
    redirect_uri: application.redirect,
    ...proof(application),
  });
  if (got.status !== 200) throw new Error(`no tokens: ${got.status} ${JSON.stringify(got.body)}`);
  return { ...got.body, application, visitor };
}

export const refresh = (app: TestApp, application: BuiltApplication, refreshToken: string, more: object = {}) =>
  tokenRequest(app, { grant_type: 'refresh_token', refresh_token: refreshToken, ...proof(application), ...more });

/** What a token is worth. */
export const statusOf = async (app: TestApp, token: string): Promise<number> =>
  (await app.api('GET', '/user', { headers: { Authorization: `Bearer ${token}` } })).status;
