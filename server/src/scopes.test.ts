/** Every route with every scope in every place where a token can be sent: generated from the declarations. Slow: each route is asked with each scope and each transport. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApp } from '../test/app.ts';
import { startWorld, type World } from '../test/ci.ts';
import { buildAdmin, buildGroup, buildProject, buildToken } from '../test/factories.ts';
import { password, tokenRequest } from '../test/oauth.ts';
import { needsMore, type Place, pathOf, refusesMore } from '../test/routes.ts';
import { rotated, sampled, sampledOfEach, severalAtOnce } from '../test/sampling.ts';
import { allScopes } from './features/identity/index.ts';
import { acceptedScopes, type Route } from './kernel/http/route.ts';

let world: World;
let app: TestApp;
let place: Place;
/** An administrator's tokens with one scope each. */
const tokens = new Map<string, string>();
/** The same of OAuth. */
const oauthTokens = new Map<string, string>();
let jobToken: string;
let deployToken: string;
let runnerToken: string;

beforeAll(async () => {
  world = await startWorld();
  app = world.app;
  const group = await buildGroup(app);
  place = { group, project: await buildProject(app, { namespace: group }) };
  for (const scope of allScopes)
    tokens.set(scope, (await buildToken(app, { user: world.admin.user, scopes: [scope] })).secret);
  const { username } = await buildAdmin(app, { password });
  for (const scope of allScopes) {
    const made = await tokenRequest(app, { grant_type: 'password', username, password, scope });
    oauthTokens.set(scope, made.body.access_token);
  }
  const home = await world.project();
  const runner = await world.runner();
  runnerToken = runner.token;
  await home.push('job:\n  script: [x]\n');
  jobToken = (await runner.next()).token;
  const made = await app.api<{ token: string }>('POST', `/projects/${home.id}/deploy_tokens`, {
    token: world.owner.token,
    json: { name: 'deploy', scopes: ['read_repository', 'read_registry'] },
  });
  deployToken = made.body.token;
}, 600_000);
afterAll(() => world.close());

interface Request {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
const basic = (secret: string) => `Basic ${Buffer.from(`root:${secret}`).toString('base64')}`;

const privateToken = (secret: string): Request => ({ headers: { 'private-token': secret } });
const privateQuery = (secret: string): Request => ({ query: `private_token=${secret}` });

/** Where OAuth tokens are read. */
const oauthTransports = ['Bearer', 'access_token'] as const;
/** Where access tokens are read. */
const transports: Readonly<Record<string, (secret: string) => Request>> = {
  'PRIVATE-TOKEN': privateToken,
  Bearer: (secret) => ({ headers: { authorization: `Bearer ${secret}` } }),
  private_token: privateQuery,
  access_token: (secret) => ({ query: `access_token=${secret}` }),
};
const jobTransports: Readonly<Record<string, (secret: string) => Request>> = {
  'JOB-TOKEN': (secret) => ({ headers: { 'job-token': secret } }),
  job_token: (secret) => ({ query: `job_token=${secret}` }),
};

async function send(route: Route, { query, headers = {} }: Request): Promise<{ status: number; text: string }> {
  const url = `/api/v4${pathOf(route, place)}${query ? `?${query}` : ''}`;
  const answer = await app.server.inject({ method: route.method, url, headers: { ...headers } });
  return { status: answer.statusCode, text: answer.body };
}

const unauthorized = '{"message":"401 Unauthorized"}';
const reads = (route: Route) => route.credentials.includes('token') || route.credentials.includes('job');
/** What a request that passes would do: nothing, because it reads, or because it lacks what it needs. */
const harmless = (route: Route) => route.method === 'GET' || needsMore(route);
const nameOf = (route: Route) => `${route.method} ${route.path}`;

type Got = Awaited<ReturnType<typeof send>>;
type Check = (got: Got) => string | null;
type Question = readonly [what: string, request: Request, check: Check];

/** What is wrong in the part of this run, at least one question to each route; and how many questions there are. */
async function differences(
  ask: (route: Route, index: number) => readonly Question[],
): Promise<{ count: number; wrong: string[] }> {
  const wrong: string[] = [];
  const all = app.routes.map((route, index) => ask(route, index).map((question) => [route, ...question] as const));
  await severalAtOnce(sampledOfEach(all), async ([route, what, request, check]) => {
    const got = await send(route, request);
    const why = check(got);
    if (why) wrong.push(`${nameOf(route)} ${what}: ${got.status} ${got.text.slice(0, 100)}; ${why}`);
  });
  return { count: all.flat().length, wrong };
}

const refusedScope: Check = ({ status, text }) =>
  status === 403 && text.includes('"insufficient_scope"') ? null : 'expected insufficient_scope';
const refused: Check = ({ status, text }) =>
  status === 401 && text === unauthorized ? null : 'expected 401 Unauthorized';

describe('security 16', () => {
  test('[1/authentication/3 private_token, PRIVATE-TOKEN, Authorization] a scope counts the same in every transport, on every route', async () => {
    const { count, wrong } = await differences((route, index) => {
      if (!route.credentials.includes('token')) return [];
      const accepted = acceptedScopes(route);
      const each = ([scope, secret]: readonly [string, string], kind: string, used: readonly string[]) =>
        used.flatMap((transport): Question[] => {
          const as = transports[transport] as (secret: string) => Request;
          const what = `${kind} ${scope} as ${transport}`;
          if (!accepted.includes(scope)) return [[what, as(secret), refusedScope]];
          // A token of a narrow scope ends or rotates itself here: asked of elsewhere.
          if (!harmless(route) || route.path.includes('/self')) return [];
          const passes: Check = (got) =>
            got.text.includes('insufficient_scope') || (got.text === unauthorized && !refusesMore.has(nameOf(route)))
              ? 'expected to pass'
              : null;
          return [[what, as(secret), passes]];
        });
      return [
        // A transport tells who asks, before anything asks what their scope opens.
        ...[...tokens].flatMap((entry, at) => each(entry, 'personal', rotated(Object.keys(transports), index + at))),
        ...[...oauthTokens].flatMap((entry, at) => each(entry, 'OAuth', rotated(oauthTransports, index + at))),
      ];
    });
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(app.routes.length * allScopes.length * 1.7);
  }, 600_000);

  test('[1/authentication/4 job_token, JOB-TOKEN, Authorization] [1/authentication/8] tokens of jobs, deployments and runners open only what takes them', async () => {
    const everywhere = { ...transports, ...jobTransports };
    const others: ReadonlyArray<readonly [string, string, Readonly<Record<string, (secret: string) => Request>>]> = [
      ['an access token', tokens.get('api') ?? '', jobTransports],
      ['a deploy token', deployToken, everywhere],
      ['an OAuth token', oauthTokens.get('api') ?? '', jobTransports],
      ['an OAuth token', oauthTokens.get('api') ?? '', { 'PRIVATE-TOKEN': privateToken, private_token: privateQuery }],
      ['a deploy token', deployToken, { 'DEPLOY-TOKEN': (secret) => ({ headers: { 'deploy-token': secret } }) }],
      ['a runner token', runnerToken, everywhere],
      ['a job token', jobToken, { 'PRIVATE-TOKEN': privateToken, private_token: privateQuery }],
    ];
    const { count, wrong } = await differences((route, index) =>
      reads(route)
        ? others.flatMap(([what, secret, ways]) =>
            rotated(Object.entries(ways), index).map(
              ([way, as]) =>
                [
                  `${what} as ${way}`,
                  as(secret),
                  way === 'DEPLOY-TOKEN' && route.credentials.includes('deploy') ? refusedScope : refused,
                ] as const,
            ),
          )
        : [],
    );
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(app.routes.length * 5);
    const job = await differences((route) =>
      reads(route)
        ? Object.entries({ ...jobTransports, Bearer: transports.Bearer as (secret: string) => Request }).map(
            ([way, as]) =>
              route.credentials.includes('job')
                ? ([
                    `a job token as ${way}`,
                    as(jobToken),
                    (got: Got) => (refused(got) ? null : 'expected to pass'),
                  ] as const)
                : ([`a job token as ${way}`, as(jobToken), refused] as const),
          )
        : [],
    );
    expect(job.wrong).toEqual([]);
  }, 600_000);

  test('Basic is for git and packages: the rest of the API answers as if nothing had been sent', async () => {
    const secret = tokens.get('api') ?? '';
    const wrong: string[] = [];
    // Where a name and a password in the body are the credential there is nothing to compare.
    const routes = app.routes.filter((route) => reads(route) && !route.credentials.includes('deploy'));
    await severalAtOnce(sampled(routes), async (route) => {
      const [nothing, given] = [
        await send(route, {}),
        await send(route, { headers: { authorization: basic(secret) } }),
      ];
      if (nothing.status !== given.status || nothing.text !== given.text)
        wrong.push(`${nameOf(route)}: ${nothing.status} and ${given.status}`);
    });
    expect(wrong).toEqual([]);
  }, 600_000);

  test('routes of runners read their own token where other routes read access tokens', async () => {
    const ask = (headers: Record<string, string>, json: object) =>
      app.api('POST', '/runners/verify', { headers, json });
    expect((await ask({ 'PRIVATE-TOKEN': runnerToken }, {})).status).toBe(200);
    expect((await ask({ 'PRIVATE-TOKEN': runnerToken }, { token: runnerToken })).status).toBe(200);
    expect((await ask({ 'PRIVATE-TOKEN': tokens.get('api') ?? '' }, {})).status).toBe(403);
  });
});
