/** Who is refused where: generated from the declarations of all routes, so that a new route is covered by being there. Slow: as everybody, everywhere. */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApp } from '../test/app.ts';
import { startWorld, type World } from '../test/ci.ts';
import { buildAdmin, buildGroup, buildMember, buildProject, buildToken, buildUser } from '../test/factories.ts';
import { gitClient } from '../test/git.ts';
import { needsMore, type Place, pathOf, refusesMore } from '../test/routes.ts';
import { rotated, sampledOfEach, severalAtOnce } from '../test/sampling.ts';
import { type GroupRule, groupAbilities, type ProjectRule, projectAbilities } from './kernel/authz/abilities.ts';
import { canOnGroup, canOnProject } from './kernel/authz/can.ts';
import { Level } from './kernel/authz/levels.ts';
import { anonymous, type Caller, type GroupSubject, type ProjectSubject } from './kernel/authz/subjects.ts';
import type { Grant, User } from './kernel/db/rows.ts';
import { acceptedScopes, type Route } from './kernel/http/route.ts';

const visibilities = ['private', 'internal', 'public'] as const;
type Visibility = (typeof visibilities)[number];
/** A kind of caller: what it sends, and what the tables are told about it. */
interface Actor {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly caller: Caller;
  readonly level: Level;
  /** On the group, where it is another one than on the project in it. */
  readonly groupLevel?: Level;
  /** The credential proves nobody: refused wherever it is read. */
  readonly invalid?: true;
  /** Shows where a level comes from, not what it opens: asked of one route of each ability. */
  readonly standing?: true;
}

let world: World;
let app: TestApp;
const places = new Map<Visibility, Place>();
const actors: Actor[] = [];
/** What is in a project that is none of the places. */
let elsewhere: { project: number; pipeline: number; job: number; runner: number; jobToken: string };

const placeOf = (visibility: Visibility): Place => {
  const place = places.get(visibility);
  if (!place) throw new Error(`no ${visibility} place`);
  return place;
};

/** Of those who are asked of one route of each ability. */
const standing = { standing: true } as const;

const tokenCaller = (user: User, scopes: readonly string[]): Caller => ({
  user,
  credential: { kind: 'token', tokenId: 0, tokenKind: 'personal' },
  scopes: new Set(scopes),
  admin: user.admin,
});

async function addActor(
  name: string,
  user: User,
  level: Level,
  more: { scopes?: string[]; expired?: true; bad?: true; standing?: true; groupLevel?: Level } = {},
) {
  const scopes = more.scopes ?? ['api'];
  const { secret } = await buildToken(app, { user, scopes, ...(more.expired ? { expiresAt: '2020-01-01' } : {}) });
  const caller = tokenCaller(user, scopes);
  const invalid = more.expired || more.bad;
  actors.push({
    name,
    headers: { 'PRIVATE-TOKEN': secret },
    caller,
    level,
    ...(invalid ? { invalid: true } : {}),
    ...(more.standing ? { standing: true } : {}),
    ...(more.groupLevel === undefined ? {} : { groupLevel: more.groupLevel }),
  });
}

const auditing = async () =>
  await app.db
    .updateTable('users')
    .set({ auditor: true })
    .where('id', '=', (await buildUser(app)).id)
    .returningAll()
    .executeTakeFirstOrThrow();

beforeAll(async () => {
  world = await startWorld();
  app = world.app;
  // A repository that is missing is a fault of its storage, whoever asks.
  const git = await gitClient();
  for (const visibility of visibilities) {
    const group = await buildGroup(app, { visibility });
    // Merge trains answer where the project has them switched on.
    const trains = { merge_pipelines_enabled: true, merge_trains_enabled: true };
    const project = await buildProject(app, { namespace: group, visibility, ...trains });
    await git.run(['init', '--bare', '--quiet', path.join(app.directory, 'repositories', project.repository_path)]);
    places.set(visibility, { group, project });
  }
  await git.close();
  actors.push({ name: 'anonymous', headers: {}, caller: anonymous, level: Level.none });
  const everywhere = async (user: User, level: Level) => {
    for (const { group } of places.values()) await buildMember(app, { user, of: group, level });
    return user;
  };
  await addActor('stranger', await buildUser(app), Level.none);
  // A role that opens nothing by itself, and yet makes its holder a member.
  for (const role of ['minimal', 'guest', 'planner', 'reporter', 'developer', 'maintainer', 'owner'] as const)
    await addActor(role, await everywhere(await buildUser(app), Level[role]), Level[role]);
  // Whoever has a row among the grants, and the level that it gives.
  const change = (user: User, values: Partial<Pick<Grant, 'state' | 'expires_at'>>) =>
    app.db
      .updateTable('grants')
      .set(values)
      .where('user_id', '=', user.id)
      .where(
        'namespace_id',
        'in',
        [...places.values()].map(({ group }) => group.id),
      )
      .execute();
  const waiting = await everywhere(await buildUser(app), Level.owner);
  await change(waiting, { state: 'awaiting' });
  await addActor('owner whose membership waits', waiting, Level.none, standing);
  const late = await everywhere(await buildUser(app), Level.owner);
  await change(late, { expires_at: '2020-01-01' });
  await addActor('owner whose membership has expired', late, Level.none, standing);
  const external = await buildUser(app, { external: true });
  await addActor('external stranger', external, Level.none, standing);
  await addActor(
    'external developer',
    await everywhere(await buildUser(app, { external: true }), Level.developer),
    Level.developer,
    standing,
  );
  await addActor('auditor', await auditing(), Level.none);
  await addActor(
    'auditor who is a developer',
    await everywhere(await auditing(), Level.developer),
    Level.developer,
    standing,
  );
  // Members of groups that are invited, one of them by a group that is invited itself.
  const invite = async (name: string, most: Level, level: Level, expires_at: string | null = null) => {
    const invited = await buildGroup(app);
    const share = { group_id: invited.id, level: most, expires_at };
    for (const { group } of places.values())
      await app.db
        .insertInto('grants')
        .values({ ...share, namespace_id: group.id })
        .execute();
    const above = (await buildMember(app, { of: invited, level: Level.owner })).user;
    await addActor(name, above, level, standing);
    return invited;
  };
  const invited = await invite('owner of an invited group', Level.reporter, Level.reporter);
  await invite('owner of a group whose invitation has expired', Level.reporter, Level.none, '2020-01-01');
  const second = await buildGroup(app);
  await app.db
    .insertInto('grants')
    .values({ group_id: second.id, namespace_id: invited.id, level: Level.owner })
    .execute();
  const { user: far } = await buildMember(app, { of: second, level: Level.owner });
  await addActor('member through two invitations', far, Level.none, standing);
  // Whoever reaches the projects alone, by an invitation of their group to each of them.
  const guests = await buildGroup(app);
  for (const { project } of places.values())
    await app.db
      .insertInto('grants')
      .values({ group_id: guests.id, project_id: project.id, level: Level.developer })
      .execute();
  const { user: guest } = await buildMember(app, { of: guests, level: Level.owner });
  await addActor('owner of a group invited to the project', guest, Level.developer, {
    ...standing,
    groupLevel: Level.none,
  });
  const owner = await everywhere(await buildUser(app), Level.owner);
  await addActor('administrator', await buildAdmin(app), Level.none);
  await addActor('owner with an expired token', owner, Level.owner, { expired: true });
  await addActor('owner with a token that only reads repositories', owner, Level.owner, {
    scopes: ['read_repository'],
  });
  await addActor('owner with a token that only reads', owner, Level.owner, { scopes: ['read_api'] });
  const blocked = await everywhere(await buildUser(app), Level.owner);
  await app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', blocked.id).execute();
  await addActor('blocked owner', blocked, Level.owner, { bad: true });
  // The person whose job runs elsewhere is an owner here: the job is not.
  const home = await world.project();
  const runner = await world.runner();
  const pipeline = await home.push('job:\n  script: [x]\n');
  const job = await runner.next();
  elsewhere = { project: home.id, pipeline: pipeline.id, job: job.id, runner: runner.id, jobToken: job.token };
  await everywhere(world.owner.user, Level.owner);
  actors.push({
    name: 'job of another project',
    headers: { 'JOB-TOKEN': job.token },
    caller: {
      user: world.owner.user,
      credential: {
        kind: 'job',
        job: { id: job.id, project_id: home.id, pipeline_id: pipeline.id, status: 'running' },
      },
      scopes: null,
      admin: false,
    },
    level: Level.owner,
  });
  const deploy = await app.api<{ token: string }>('POST', `/projects/${home.id}/deploy_tokens`, {
    token: world.owner.token,
    json: { name: 'deploy', scopes: ['read_repository'] },
  });
  // Credentials of something else than the API.
  const strange: Readonly<Record<string, Record<string, string>>> = {
    'unknown job token': { 'JOB-TOKEN': 'glcbt-64_unknown' },
    'deploy token as PRIVATE-TOKEN': { 'PRIVATE-TOKEN': deploy.body.token },
    'deploy token as DEPLOY-TOKEN': { 'DEPLOY-TOKEN': deploy.body.token },
    'deploy token as a bearer': { Authorization: `Bearer ${deploy.body.token}` },
  };
  for (const [name, headers] of Object.entries(strange))
    actors.push({ name, headers, caller: anonymous, level: Level.none, invalid: true });
}, 600_000);
afterAll(() => world.close());

/** Refusals of the gate as status and body; null where the caller passes it. */
type Refusal = { readonly status: number; readonly text: string } | null;
const said = (status: number, message: string): Refusal => ({ status, text: JSON.stringify({ message }) });
const unauthorized = said(401, '401 Unauthorized');
const forbidden = said(403, '403 Forbidden');
const notForTokens = said(403, '403 Forbidden - this is not available to tokens: sign in with a browser');

function refusalOn(route: Route, caller: Caller, level: Level, place: Place, roleBelow = false): Refusal {
  const { access } = route;
  const hidden = (visible: boolean, noun: string) =>
    visible ? (caller.user === null ? unauthorized : forbidden) : said(404, `404 ${noun} Not Found`);
  // Where nobody gets in without a credential, strangers learn nothing of what is there; and nobody changes anything so.
  const asks = (rule: ProjectRule | GroupRule) =>
    caller.user === null && (rule.open !== 'anyone' || route.method !== 'GET');
  if (access.on === 'instance') {
    if (caller.user === null) return unauthorized;
    return access.ability === 'admin' && !caller.admin ? forbidden : null;
  }
  if (access.on === 'project') {
    const subject: ProjectSubject = { kind: 'project', project: place.project, namespace: place.group, level };
    if (asks(projectAbilities[access.ability])) return unauthorized;
    if (canOnProject(caller, access.ability, subject)) return null;
    return hidden(canOnProject(caller, 'read_project', subject), 'Project');
  }
  if (access.on === 'group') {
    const subject: GroupSubject = { kind: 'group', group: place.group, level, roleBelow };
    if (asks(groupAbilities[access.ability])) return unauthorized;
    if (canOnGroup(caller, access.ability, subject)) return null;
    return hidden(canOnGroup(caller, 'read_group', subject), 'Group');
  }
  return null;
}

function expected(route: Route, actor: Actor, place: Place): Refusal {
  const reads = route.credentials.includes('token') || route.credentials.includes('job');
  const sends = Object.keys(actor.headers).length > 0;
  const kind = actor.caller.credential.kind === 'job' ? 'job' : 'token';
  if (sends && route.credentials.length === 1 && route.credentials[0] === 'session')
    return actor.invalid || kind === 'job' ? unauthorized : notForTokens;
  if (!reads || !sends) return refusalOn(route, anonymous, Level.none, place);
  // Known where packages are, and of another scope.
  if ('DEPLOY-TOKEN' in actor.headers && route.credentials.includes('deploy'))
    return { status: 403, text: 'insufficient_scope' };
  if (actor.invalid || !route.credentials.includes(kind)) return unauthorized;
  const accepted = acceptedScopes(route);
  if (actor.caller.scopes && !accepted.some((scope) => actor.caller.scopes?.has(scope)))
    return { status: 403, text: 'insufficient_scope' };
  const level = route.access.on === 'group' ? (actor.groupLevel ?? actor.level) : actor.level;
  return refusalOn(route, actor.caller, level, place, level < Level.guest && actor.level >= Level.guest);
}

interface Got {
  readonly status: number;
  readonly text: string;
}
async function send(method: Route['method'], url: string, headers: Readonly<Record<string, string>>): Promise<Got> {
  const answer = await app.server.inject({ method, url, headers: { ...headers } });
  return { status: answer.statusCode, text: answer.body };
}

/** A gate's own words: what passed it may fail later, but not with these. */
const gateWords = new Set([
  '{"message":"403 Forbidden"}',
  '{"message":"401 Unauthorized"}',
  '{"message":"404 Project Not Found"}',
  '{"message":"404 Group Not Found"}',
]);

function difference(route: Route, refusal: Refusal, got: Got): string | null {
  if (refusal) {
    const same = got.status === refusal.status && got.text.includes(refusal.text);
    return same ? null : `expected ${refusal.status} ${refusal.text}`;
  }
  if (got.status >= 500) return 'a fault';
  // Those that check their own credential, or more than the declaration says, refuse in the handler.
  const own =
    route.access.on === 'credential' ||
    route.credentials.includes('body') ||
    route.access.on === 'public' ||
    refusesMore.has(`${route.method} ${route.path}`);
  if (!own && gateWords.has(got.text)) return 'expected to pass';
  return null;
}

/** Routes that would do something to the shared places, or to the credential itself: asked of by those refused only. */
const changes = (route: Route): boolean => route.method !== 'GET';

describe('[1/authentication/1][1/authentication/7][1/authentication/13][1/errors/8][1/errors/9][1/errors/10]', () => {
  test.each(visibilities)(
    'security rule 1, rule 2, 16: every route refuses whom its declaration refuses, and nobody else (%s)',
    async (visibility) => {
      const wrong: string[] = [];
      const place = placeOf(visibility);
      const shown = new Set<string>();
      const cells = app.routes.map((route, index) => {
        const { access } = route;
        const parent = access.on === 'project' || access.on === 'group';
        if (!parent && visibility !== 'public') return [];
        // How somebody came by a level is the same question for all routes with an ability.
        const key = 'ability' in access ? `${access.on} ${access.ability}` : null;
        const proves = key !== null && route.method === 'GET' && !shown.has(key);
        if (proves) shown.add(key);
        // A credential that proves nobody is refused before anything asks where.
        const refused = (actor: Actor) =>
          !parent || rotated(visibilities, index).includes(visibility) || !actor.invalid;
        return actors
          .filter((actor) => (proves || !actor.standing) && refused(actor))
          .map((actor) => ({ route, actor, refusal: expected(route, actor, place) }))
          .filter(({ refusal }) => {
            // Without parameters most changes fail to validate; deletions and the like would not.
            return refusal !== null || !changes(route) || needsMore(route);
          });
      });
      await severalAtOnce(sampledOfEach(cells), async ({ route, actor, refusal }) => {
        const got = await send(route.method, `/api/v4${pathOf(route, place)}`, actor.headers);
        const why = difference(route, refusal, got);
        if (why)
          wrong.push(
            `${route.method} ${route.path} (${visibility}) as ${actor.name}: ${got.status} ${got.text.slice(0, 120)}; ${why}`,
          );
      });
      expect(wrong).toEqual([]);
      const routes = app.routes.filter(
        ({ access }) => visibility === 'public' || access.on === 'project' || access.on === 'group',
      );
      expect(cells.flat().length).toBeGreaterThan(routes.length * 9);
    },
    600_000,
  );

  test('security 1: other spellings of a path reach the same gate or nothing; fields of a file are only text', async () => {
    const place = placeOf('private');
    const hostile = 'file.path=/etc/passwd&file.remote_url=http://127.0.0.1/passwd&actions[][file.path]=/etc/passwd';
    const wrong: string[] = [];
    const isParameterOfAnother = (own: Route, spelling: string) =>
      app.routes.some(
        (route) =>
          route !== own &&
          route.method === own.method &&
          new RegExp(`^${route.path.replaceAll(/:[a-z_]+/g, '[^/]+')}$`).test(spelling),
      );
    const spelt = app.routes.map((route) => {
      const path = pathOf(route, place);
      const encodedLast = path.replace(
        /\/([a-z])([^/]*)$/,
        (_, first: string, rest: string) => `/${percent(first)}${rest}`,
      );
      const spellings = [
        path,
        `${path}/`,
        `${path}.json`,
        `/${path}`,
        path.replace(/^\/([a-z])/, (_, first: string) => `/${percent(first)}`),
        encodedLast,
        path.replace(/(.)\//, '$1//'),
      ];
      return spellings.map((spelling) => ({ route, spelling }));
    });
    await severalAtOnce(sampledOfEach(spelt), async ({ route, spelling }) => {
      const canonical = expected(route, actorNamed('anonymous'), place);
      const answer = await app.server.inject({
        method: route.method,
        url: `/api/v4${spelling}${route.method === 'GET' ? `?${hostile}` : ''}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        ...(route.method === 'GET' ? {} : { payload: hostile }),
      });
      const absent = answer.statusCode === 404 || answer.statusCode === 405;
      const same = canonical
        ? answer.statusCode === canonical.status && answer.body.includes(canonical.text)
        : answer.statusCode < 500;
      // `/snippets/public.json` is `/snippets/:id`, which knows no such id: as good as nothing.
      const unknown = answer.statusCode === 400 && isParameterOfAnother(route, spelling);
      if ((!same && !absent && !unknown) || answer.body.includes('passwd'))
        wrong.push(`${route.method} ${spelling}: ${answer.statusCode} ${answer.body.slice(0, 120)}`);
    });
    expect(wrong).toEqual([]);
  }, 600_000);

  test('security 17: a child below another project than its own does not exist', async () => {
    const children: Readonly<Record<string, string>> = {
      pipeline_id: String(elsewhere.pipeline),
      job_id: String(elsewhere.job),
      runner_id: String(elsewhere.runner),
      user_id: String(world.admin.user.id),
      merge_request_iid: '1',
      issue_iid: '1',
    };
    const project = placeOf('public').project;
    const wrong: string[] = [];
    let asked = 0;
    for (const route of app.routes) {
      if (route.access.on !== 'project' || refusesMore.has(`${route.method} ${route.path}`)) continue;
      const names = [...route.path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name ?? '');
      if (names.length < 2 || !names.slice(1).every((name) => name in children)) continue;
      const url = route.path
        .replaceAll(/:([a-z_]+)/g, (_, name: string) => (name === 'id' ? String(project.id) : (children[name] ?? '')))
        .replace(/\*$/, 'file');
      const got = await send(route.method, `/api/v4${url}`, { 'private-token': world.admin.token });
      asked += 1;
      const refused = got.status === 404 || (got.status === 400 && got.text.startsWith('{"error":'));
      if (!refused || gateWords.has(got.text))
        wrong.push(`${route.method} ${url}: ${got.status} ${got.text.slice(0, 120)}`);
    }
    expect(wrong).toEqual([]);
    expect(asked).toBeGreaterThan(20);
  });
});

const percent = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;

function actorNamed(name: string): Actor {
  const actor = actors.find((each) => each.name === name);
  if (!actor) throw new Error(`no ${name}`);
  return actor;
}
