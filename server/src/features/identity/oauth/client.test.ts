/** A client library that nobody here wrote, unchanged: it checks every answer against the standards. */
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildApplication, buildVisitor, consent, statusOf } from '../../../../test/oauth.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const http = { [oauth.allowInsecureRequests]: true } as const;

async function discovered(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(app.url);
  const answer = await oauth.discoveryRequest(issuer, { ...http, algorithm: 'oauth2' });
  return await oauth.processDiscoveryResponse(issuer, answer);
}

const kinds = [
  ['a confidential application with Basic', true, oauth.ClientSecretBasic],
  ['a confidential application with its secret in the form', true, oauth.ClientSecretPost],
  ['a public application', false, () => oauth.None()],
] as const;

it.each(kinds)('[1/authentication/2] the code flow with PKCE, for %s', async (_what, confidential, proofOf) => {
  const redirect = 'http://127.0.0.1/callback';
  const application = await buildApplication(app, { confidential, redirect });
  const server = await discovered();
  const client: oauth.Client = { client_id: application.application_id };
  const proof = proofOf(application.secret);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const address = new URL(server.authorization_endpoint ?? '');
  address.search = String(
    new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: redirect,
      response_type: 'code',
      scope: 'read_user api',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    }),
  );
  const visitor = await buildVisitor(app);
  const came = await consent(app, visitor, Object.fromEntries(address.searchParams));

  // Also compares `iss` with the provider that it asked, and the state with its own.
  const parameters = oauth.validateAuthResponse(server, client, came, state);
  const answer = await oauth.authorizationCodeGrantRequest(server, client, proof, parameters, redirect, verifier, http);
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer);
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 7200, scope: 'read_user api' });
  const me = await oauth.protectedResourceRequest(
    tokens.access_token,
    'GET',
    new URL('/api/v4/user', app.url),
    new Headers(),
    null,
    http,
  );
  expect(await me.json()).toMatchObject({ id: visitor.user.id });

  const again = await oauth.refreshTokenGrantRequest(server, client, proof, tokens.refresh_token ?? '', http);
  const renewed = await oauth.processRefreshTokenResponse(server, client, again);
  expect([await statusOf(app, tokens.access_token), await statusOf(app, renewed.access_token)]).toEqual([401, 200]);
  if (confidential) {
    const asked = await oauth.introspectionRequest(server, client, proof, renewed.access_token, http);
    const told = await oauth.processIntrospectionResponse(server, client, asked);
    expect(told).toMatchObject({ active: true, username: visitor.user.username });
  }
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, proof, renewed.access_token, http),
  );
  expect(await statusOf(app, renewed.access_token)).toBe(401);

  // A denial comes back as what the standard calls it.
  const denied = await app.request<{ location: string }>('DELETE', '/oauth/authorize', {
    headers: visitor.headers,
    json: Object.fromEntries(address.searchParams),
  });
  expect(() => oauth.validateAuthResponse(server, client, new URL(denied.body.location), state)).toThrow(
    oauth.AuthorizationResponseError,
  );
});

it('the flow of devices', async () => {
  const application = await buildApplication(app, { confidential: false });
  const server = await discovered();
  const client: oauth.Client = { client_id: application.application_id };
  const begun = await oauth.processDeviceAuthorizationResponse(
    server,
    client,
    await oauth.deviceAuthorizationRequest(server, client, oauth.None(), { scope: 'read_user' }, http),
  );
  const poll = () => oauth.deviceCodeGrantRequest(server, client, oauth.None(), begun.device_code, http);
  await expect(oauth.processDeviceCodeResponse(server, client, await poll())).rejects.toMatchObject({
    error: 'authorization_pending',
  });
  const { headers } = await buildVisitor(app);
  await app.request('POST', '/oauth/device', { headers, json: { user_code: begun.user_code } });
  const tokens = await oauth.processDeviceCodeResponse(server, client, await poll());
  expect(await statusOf(app, tokens.access_token)).toBe(200);
});

it('client_credentials', async () => {
  const application = await buildApplication(app);
  const server = await discovered();
  const client: oauth.Client = { client_id: application.application_id };
  const answer = await oauth.clientCredentialsGrantRequest(
    server,
    client,
    oauth.ClientSecretBasic(application.secret),
    { scope: 'read_user' },
    http,
  );
  expect(await oauth.processClientCredentialsResponse(server, client, answer)).toMatchObject({ scope: 'read_user' });
});
