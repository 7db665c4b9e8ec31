/** What comes from the hosted provider besides code and lists: wiki, reviews, collaborators, attachments; from servers that are limited and half-broken. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildAdmin, buildToken, buildUser, unique } from '../../../../test/factories.ts';
import { picture } from '../../../../test/project-archives.ts';
import { type Asked, closeServed, hostedLists, type Reply, served } from '../../../../test/providers.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { attachmentName, attachmentPlaces, attachmentsIn } from './attachments.ts';

let app: TestApp;
let admin: BuiltToken;
let source: RepositoryProject;
let head: string;
let base: string;
const time = '2024-05-06T07:08:09Z';

beforeAll(async () => {
  app = await startTestApp({ background: true });
  admin = await buildToken(app, { user: await buildAdmin(app) });
  await buildUser(app, { username: 'octocat' });
  await buildUser(app, { username: 'hubber' });
  source = await buildRepositoryProject(app, { files: { 'README.md': '# Elsewhere\n', 'a.txt': 'one\ntwo\n' } });
  await source.commit('topic', { 'b.txt': '2\n' }, { start_branch: 'main' });
  [head, base] = [await tip('topic'), await tip('main')];
  expect((await source.api('POST', '/repository/tags', { json: { tag_name: 'v1.0', ref: 'main' } })).status).toBe(201);
  const settings = { allow_local_requests_from_web_hooks_and_services: true, max_attachment_size: 1 };
  expect((await app.api('PUT', '/application/settings', { token: admin.secret, json: settings })).status).toBe(200);
});
afterEach(closeServed);
afterAll(() => app.close());

const tip = async (branch: string) => {
  const { body } = await source.api('GET', `/repository/branches/${branch}`);
  return (body as unknown as { commit: { id: string } }).commit.id;
};

/** The hosted provider, which serves git through the application; `first` may answer before its lists. */
const hosted = (first: (asked: Asked, url: string) => Reply | undefined, repository: Json = {}) =>
  served((asked, url) => {
    const special = first(asked, url);
    if (special !== undefined) return special;
    if (asked.path === '/api/v3/repositories/42')
      return {
        body: {
          ...{ id: 42, name: 'Hello', full_name: 'octocat/Hello', private: true, default_branch: 'main' },
          ...{ clone_url: source.remote(), has_wiki: true, ...repository },
        },
      };
    const rows = hostedLists(head, base)[asked.path.replace('/api/v3/repos/octocat/Hello', '')];
    if (!rows) return null;
    const page = Number(asked.query.get('page') ?? 1);
    const next = new URLSearchParams(asked.query);
    next.set('page', String(page + 1));
    return {
      ...(rows.length > page * 2 ? { headers: { Link: `<${url}${asked.path}?${next}>; rel="next"` } } : {}),
      body: rows.slice((page - 1) * 2, page * 2),
    };
  });

async function imported(url: string, more: Json = {}): Promise<Json> {
  const made = await app.api<Json>('POST', '/import/github', {
    token: admin.secret,
    json: {
      ...{ personal_access_token: source.owner.secret, repo_id: 42, github_hostname: url },
      ...{ target_namespace: admin.user.username, new_name: unique('hello'), ...more },
    },
  });
  expect([made.status, made.body]).toEqual([201, made.body]);
  return await eventually('the import', async () => {
    const { body } = await app.api<Json>('GET', `/projects/${String(made.body.id)}/import`, { token: admin.secret });
    return ['finished', 'failed'].includes(String(body.import_status)) && body;
  });
}
const get = async <T = Json[]>(id: unknown, path: string) =>
  (await app.api<T>('GET', `/projects/${String(id)}${path}`, { token: admin.secret })).body;

describe('from the hosted provider', () => {
  it('the history of issues and requests comes where it is asked for [3/api.imports/2 single_endpoint_issue_events_import]', async () => {
    const event = (name: string, day: number, login: string, more: Json = {}) => ({
      ...{ event: name, actor: { login }, created_at: `2024-05-0${day}T07:08:09Z`, ...more },
    });
    const of: Record<string, Json[]> = {
      '3': [
        event('labeled', 1, 'octocat', { label: { name: 'bug', color: 'f00' } }),
        event('labeled', 1, 'octocat', { label: { name: 'of nobody', color: 'f00' } }),
        event('milestoned', 2, 'hubber', { milestone: { title: 'First' } }),
        event('subscribed', 2, 'hubber'),
        event('closed', 3, 'hubber', { commit_id: base }),
        event('reopened', 4, 'octocat', { commit_id: null }),
        event('unlabeled', 4, 'octocat', { label: { name: 'of nobody', color: 'f00' } }),
        event('closed', 6, 'octocat', { commit_id: null }),
      ],
      '8': [event('merged', 5, 'octocat', { commit_id: base }), event('closed', 5, 'octocat', { commit_id: base })],
    };
    const first = ({ path, query }: Asked, at: string): Reply | undefined => {
      const [, number] = /\/issues\/(\d+)\/events$/.exec(path) ?? [];
      if (number === undefined) return undefined;
      const [all, page] = [of[number] ?? [], Number(query.get('page') ?? 1)];
      const more = all.length > page * 5;
      return {
        ...(more ? { headers: { Link: `<${at}${path}?page=${page + 1}>; rel="next"` } } : {}),
        body: all.slice((page - 1) * 5, page * 5),
      };
    };
    const { url, asked } = await hosted(first);
    const result = await imported(url, { optional_stages: { single_endpoint_issue_events_import: true } });
    expect(result).toMatchObject({ import_status: 'finished', stats: { imported: { issues: 2, merge_requests: 2 } } });
    const told = async (path: string) =>
      (await get(result.id, path)).map(({ action, state, label, milestone, user, created_at }) => [
        action ?? state,
        (label as Json | null)?.name ?? (milestone as Json | null)?.title,
        (user as Json | null)?.username,
        String(created_at).slice(0, 10),
      ]);
    expect(await told('/issues/3/resource_state_events')).toEqual([
      ['closed', undefined, 'hubber', '2024-05-03'],
      ['reopened', undefined, 'octocat', '2024-05-04'],
      ['closed', undefined, 'octocat', '2024-05-06'],
    ]);
    expect(await told('/issues/3/resource_label_events')).toContainEqual(['add', 'bug', 'octocat', '2024-05-01']);
    expect(await told('/issues/3/resource_milestone_events')).toEqual([['add', 'First', 'hubber', '2024-05-02']]);
    expect(await told('/merge_requests/8/resource_state_events')).toEqual([
      ['merged', undefined, 'octocat', '2024-05-05'],
    ]);
    // Nothing is asked for that nobody wants.
    const before = asked.length;
    await imported(url);
    expect(asked.slice(before).filter(({ path }) => path.endsWith('/events'))).toEqual([]);
  });

  it('reviews come as comments with their decisions, and the last approval of a person as one [3/api.imports/2 single_endpoint_notes_import]', async () => {
    const review = (id: number, login: string, state: string, body: string | null) => ({
      ...{ id, user: { login }, state, body, commit_id: head, submitted_at: time },
    });
    const reviews = [
      review(1, 'octocat', 'CHANGES_REQUESTED', 'Not yet'),
      review(2, 'octocat', 'COMMENTED', 'By the way'),
      review(3, 'octocat', 'APPROVED', null),
      review(4, 'hubber', 'APPROVED', 'Fine'),
      review(5, 'hubber', 'DISMISSED', ''),
      review(6, 'hubber', 'PENDING', 'Not said yet'),
    ];
    let refused = 0;
    const { url, asked } = await hosted(({ path, query }, at): Reply | undefined => {
      if (!path.endsWith('/pulls/7/reviews')) return undefined;
      refused += 1;
      // Limited at first, then broken in the middle of a page.
      if (refused === 1) return { status: 429, headers: { 'Retry-After': '0' } };
      if (refused === 2) return { status: 502, body: null };
      const page = Number(query.get('page') ?? 1);
      return {
        ...(page < 3 ? { headers: { Link: `<${at}${path}?page=${page + 1}>; rel="next"` } } : {}),
        body: reviews.slice((page - 1) * 2, page * 2),
      };
    });
    const { id, ...status } = await imported(url, { pagination_limit: 2 });
    expect(status).toMatchObject({ import_status: 'finished', stats: { imported: { notes: 9, approvals: 1 } } });
    const notes = await get(id, '/merge_requests/7/notes?sort=asc&order_by=created_at');
    const said = notes.map(({ body, author }) => [(author as Json).username, body]);
    expect(said).toEqual(
      expect.arrayContaining([
        ['octocat', '*Requested changes*\n\nNot yet'],
        ['octocat', 'By the way'],
        ['octocat', '*Approved these changes*'],
        ['hubber', '*Approved these changes*\n\nFine'],
        ['hubber', '*This review was dismissed*'],
      ]),
    );
    const approvals = await get<Json>(id, '/merge_requests/7/approvals');
    expect((approvals.approved_by as { user: Json }[]).map(({ user }) => user.username)).toEqual(['octocat']);
    const sizes = asked.filter(({ path }) => path.endsWith('/labels')).map(({ query }) => query.get('per_page'));
    expect(new Set(sizes)).toEqual(new Set(['2']));
  });

  it('what is switched off there is not asked for, what moved is followed, and a page that was cut off is asked for again', async () => {
    let cut = 0;
    const { url, asked } = await hosted(
      ({ path, query }, at): Reply | undefined => {
        if (/\/issues$|\/issues\/comments$/.test(path))
          return { status: 410, body: { message: 'Issues are disabled for this repo' } };
        if (path.endsWith('/Hello/milestones'))
          return { status: 301, headers: { Location: `${at}/api/v3/repositories/42/milestones?${query}` } };
        if (path.endsWith('/42/milestones')) return { body: hostedLists(head, base)['/milestones'] };
        const [, kind, number] = /\/(issues|pulls)\/(\d)\/comments$/.exec(path) ?? [];
        if (kind !== undefined)
          return {
            body: hostedLists(head, base)[`/${kind}/comments`]?.filter((row) =>
              JSON.stringify(row).includes(`/${number}"`),
            ),
          };
        if (!path.endsWith('/labels')) return undefined;
        cut += 1;
        // Half a page, and the page of a proxy.
        if (cut === 1) return { body: Buffer.from('[{"name":"bug","col') };
        return cut === 2 ? { body: Buffer.from('<html>One moment, please</html>') } : undefined;
      },
      { has_issues: false },
    );
    const { id, ...status } = await imported(url);
    expect(status).toMatchObject({ import_status: 'finished' });
    expect(status).toMatchObject({ stats: { imported: { labels: 3, milestones: 1, merge_requests: 2, notes: 3 } } });
    expect(asked.filter(({ path }) => /\/issues$|\/issues\/comments$/.test(path))).toEqual([]);
    expect((await get(id, '/merge_requests/7/notes')).length).toBe(3);
  });

  it('the wiki comes with its history; one that is not there is no failure', async () => {
    const { url } = await hosted(() => undefined);
    const without = await imported(url);
    expect(without).toMatchObject({ import_status: 'finished' });
    expect(await get(without.id, '/wikis')).toEqual([]);
    for (const content of ['First', 'Second'])
      await source.api(content === 'First' ? 'POST' : 'PUT', `/wikis${content === 'First' ? '' : '/home'}`, {
        json: { title: 'home', content },
      });
    const { id, stats } = await imported(url);
    expect(stats).toMatchObject({ imported: { wiki: 1 } });
    expect(await get<Json>(id, '/wikis/home')).toMatchObject({ content: 'Second' });
    const { url: closed } = await hosted(() => undefined, { has_wiki: false });
    expect(await get((await imported(closed)).id, '/wikis')).toEqual([]);
  });

  it('collaborators come with their roles, without those from outside [3/api.imports/2 collaborators_import]', async () => {
    const people = [
      { login: 'octocat', role_name: 'maintain' },
      { login: 'hubber', role_name: 'admin' },
    ];
    const { url } = await hosted(({ path, query }) =>
      path.endsWith('/collaborators')
        ? { body: query.get('affiliation') === 'outside' ? people.slice(1) : people }
        : undefined,
    );
    const members = async (more: Json) =>
      (await get((await imported(url, more)).id, '/members'))
        .filter(({ username }) => username !== admin.user.username)
        .map(({ username, access_level }) => [username, access_level]);
    expect(await members({ optional_stages: { collaborators_import: true } })).toEqual([['octocat', 40]]);
    expect(await members({})).toEqual([]);
  });

  it('branches that are protected there are protected here, as far as the token may tell how', async () => {
    const { url, asked } = await hosted(({ path, query }): Reply | undefined => {
      const name = path.replace('/api/v3/repos/octocat/Hello', '');
      if (name === '/branches')
        return {
          body: query.get('protected') === 'true' ? ['main', 'topic', 'a/b'].map((each) => ({ name: each })) : [],
        };
      if (name === '/branches/main/protection')
        return {
          body: {
            required_pull_request_reviews: { require_code_owner_reviews: true, required_approving_review_count: 2 },
            allow_force_pushes: { enabled: true },
            required_conversation_resolution: { enabled: true },
            required_signatures: { enabled: false },
          },
        };
      if (name === '/branches/topic/protection') return { body: { allow_force_pushes: { enabled: true } } };
      // Only administrators of the repository read it.
      if (name === '/branches/a%2Fb/protection') return { status: 403, body: { message: 'Resource not accessible' } };
      return undefined;
    });
    const { id, import_status, stats } = await imported(url);
    expect([import_status, stats]).toEqual([
      'finished',
      expect.objectContaining({ imported: expect.objectContaining({ protected_branches: 3, settings: 1 }) }),
    ]);
    expect(asked.filter(({ path }) => path.endsWith('/protection'))).toHaveLength(3);
    const rules = (await get(id, '/protected_branches')).map((each) => [
      ...[each.name, each.allow_force_push, each.code_owner_approval_required],
      ...[each.push_access_levels, each.merge_access_levels].map((levels) =>
        (levels as Json[]).map(({ access_level }) => access_level),
      ),
    ]);
    expect(rules.sort()).toEqual([
      ['a/b', false, false, [40], [40]],
      // Force pushes stay refused on the default branch.
      ['main', false, true, [0], [40]],
      ['topic', true, false, [40], [40]],
    ]);
    const project = await app.api<Json>('GET', `/projects/${String(id)}`, { token: admin.secret });
    expect(project.body).toMatchObject({ only_allow_merge_if_all_discussions_are_resolved: true });
    // No rule of pushes where signatures are not required.
    expect((await get<Json | null>(id, '/push_rule'))?.reject_unsigned_commits ?? null).toBeNull();
  });

  it('active rulesets protect branches and tags, and what the default branch asks of changes becomes settings', async () => {
    const rule = (type: string, parameters?: Json) => ({ type, ...(parameters ? { parameters } : {}) });
    const ruleset = (target: string, include: string[], rules: Json[], exclude: string[] = []) => ({
      ...{ target, enforcement: 'active', conditions: { ref_name: { include, exclude } }, rules },
    });
    const request = { require_code_owner_review: true, required_review_thread_resolution: true };
    const sets: Readonly<Record<number, Json>> = {
      1: ruleset('branch', ['~DEFAULT_BRANCH'], [rule('pull_request', request), rule('required_signatures')]),
      2: ruleset('branch', ['refs/heads/releases/**/*', 'refs/heads/v[0-9]'], [rule('deletion')]),
      3: ruleset('tag', ['refs/tags/v*'], [rule('update')]),
      4: { ...ruleset('branch', ['~ALL'], [rule('deletion')]), enforcement: 'evaluate' },
      // Nothing of it keeps anybody from pushing.
      5: ruleset('branch', ['refs/heads/topic'], [rule('required_linear_history')]),
      6: ruleset('branch', ['refs/heads/releases/**/*', 'refs/heads/a'], [rule('non_fast_forward')], ['refs/heads/a']),
    };
    const { url, asked } = await hosted(({ path }): Reply | undefined => {
      const name = path.replace('/api/v3/repos/octocat/Hello', '');
      if (name === '/branches/main/protection') return { status: 404, body: { message: 'Branch not protected' } };
      if (name === '/branches') return { body: [{ name: 'main' }] };
      if (name === '/rulesets')
        return {
          body: Object.entries(sets).map(([id, { rules: _, conditions: __, ...row }]) => ({ id: +id, ...row })),
        };
      const found = sets[Number(/^\/rulesets\/(\d+)$/.exec(name)?.[1])];
      return found && { body: found };
    });
    // What the instance asks of pushes goes on in the project.
    const inherited = { json: { prevent_secrets: true }, token: admin.secret };
    expect((await app.api('POST', '/admin/push_rule', inherited)).status).toBe(201);
    const { id, import_status, stats } = await imported(url);
    expect((await app.api('DELETE', '/admin/push_rule', { token: admin.secret })).status).toBe(204);
    expect(import_status).toBe('finished');
    expect(stats).toMatchObject({ imported: { protected_branches: 2, protected_tags: 1, settings: 2 } });
    expect(asked.some(({ path }) => path.endsWith('/rulesets/4'))).toBe(false);
    const levels = (value: unknown) => (value as Json[]).map(({ access_level }) => access_level);
    const branches = (await get(id, '/protected_branches')).map((each) => [
      ...[each.name, each.allow_force_push, each.code_owner_approval_required, levels(each.push_access_levels)],
    ]);
    expect(branches.sort()).toEqual([
      ['main', false, true, [0]],
      ['releases/*', false, false, [40]],
    ]);
    const tags = await get(id, '/protected_tags');
    expect(tags.map(({ name, create_access_levels }) => [name, levels(create_access_levels)])).toEqual([['v*', [40]]]);
    const pushRule = await get<Json>(id, '/push_rule');
    expect(pushRule).toMatchObject({ reject_unsigned_commits: true, prevent_secrets: true });
    const project = await app.api<Json>('GET', `/projects/${String(id)}`, { token: admin.secret });
    expect(project.body).toMatchObject({ only_allow_merge_if_all_discussions_are_resolved: true });
  });

  it('attachments become uploads that texts link to; what is too large, gone or elsewhere stays linked [3/api.imports/2 attachments_import]', async () => {
    const asset = '3f0c8e0e-0d70-4d43-8a58-6f2a1f0a0001';
    let limited = true;
    const { url, asked } = await hosted(({ path, authorization }, at): Reply | undefined => {
      if (path.startsWith('/user-attachments/') && authorization !== `Bearer ${source.owner.secret}`)
        return { status: 404 };
      if (path === `/user-attachments/assets/${asset}`) {
        if (limited) {
          limited = false;
          return { status: 429, headers: { 'Retry-After': '0' } };
        }
        return { headers: { 'Content-Type': 'image/png' }, body: picture };
      }
      if (path === '/user-attachments/files/7/log.txt')
        return { headers: { 'Content-Type': 'text/plain' }, body: Buffer.from('A log') };
      if (path === '/user-attachments/files/8/large.zip') return { body: Buffer.alloc(1_100_000) };
      if (path.startsWith('/user-attachments/')) return { status: 404 };
      const text = (...parts: string[]) => parts.map((part) => `${at}/${part}`).join(' and ');
      const repeated = `user-attachments/assets/${asset}`;
      if (path.endsWith('/issues/comments'))
        return {
          body: [
            {
              ...{ id: 3, issue_url: 'https://api.example/issues/3', user: { login: 'octocat' }, created_at: time },
              body: `See ![x](${text(repeated)}), [log](${text('user-attachments/files/7/log.txt')}).`,
            },
          ],
        };
      if (path.endsWith('/issues'))
        return {
          body: [
            {
              ...{ number: 3, title: 'It breaks', state: 'open', user: { login: 'octocat' }, created_at: time },
              body: `${text(repeated)}\n${text('user-attachments/files/8/large.zip', 'user-attachments/files/9/gone')} https://elsewhere.example/user-attachments/assets/${asset}`,
            },
          ],
        };
      return undefined;
    });
    const { id, stats, failed_relations, import_status, import_error } = await imported(url, {
      optional_stages: { attachments_import: true },
    });
    expect([import_status, import_error]).toEqual(['finished', null]);
    expect(stats).toMatchObject({ fetched: { attachments: 4 }, imported: { attachments: 2 } });
    const told = (failed_relations as Json[]).filter(({ relation_name }) => relation_name === 'attachments');
    expect(told.map(({ exception_message }) => String(exception_message))).toEqual([
      expect.stringMatching(/large\.zip: is larger than/),
      expect.stringMatching(/gone: The server answered 404/),
    ]);
    const [note] = await get(id, '/issues/3/notes');
    const found =
      /!\[x\]\((\/uploads\/[0-9a-f]{32}\/[\w-]+\.png)\), \[log\]\((\/uploads\/[0-9a-f]{32}\/log\.txt)\)/.exec(
        String(note?.body),
      );
    expect(found, String(note?.body)).not.toBeNull();
    const answer = await fetch(`${app.url}/api/v4/projects/${String(id)}${found?.[1]}`, {
      headers: { 'PRIVATE-TOKEN': admin.secret },
    });
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(picture);
    const { description } = await get<Json>(id, '/issues/3');
    expect(description).toContain(`${found?.[1]}\n${url}/user-attachments/files/8/large.zip`);
    expect(description).toContain(`https://elsewhere.example/user-attachments/assets/${asset}`);
    // One file for both texts.
    expect(asked.filter(({ path }) => path.endsWith(asset))).toHaveLength(2);
    expect((await get(id, '/uploads')).map(({ filename }) => filename).sort()).toEqual([`${asset}.png`, 'log.txt']);
  });
});

it('addresses of attachments are those of the server alone, and files have names', () => {
  const places = attachmentPlaces({ origin: 'https://github.com', repository: 'octocat/Hello' });
  const urls = [
    'https://github.com/user-attachments/assets/1-2',
    'https://github.com/octocat/Hello/files/3/a.pdf',
    'https://user-images.githubusercontent.com/4/5.png?jwt=x',
  ];
  const others = [
    'https://github.com/octocat/Other/files/3/a',
    'https://github.com.evil.example/user-attachments/assets/1',
    // What the token may read besides must not come along.
    'https://github.com/octocat/Hello/files/../../Secret/raw/main/key',
    'https://github.com/octocat/Hello/files/%2e%2e/%2E%2e/Secret/raw/main/key',
  ];
  const text = `(${urls[0]}) <img src="${urls[1]}"> ${urls[2]}. ${others.join(' ')} ${urls[0]}`;
  expect(attachmentsIn(text, places)).toEqual(urls);
  expect(attachmentPlaces({ origin: 'https://git.example', repository: 'a/b' })).not.toContainEqual(
    expect.stringContaining('githubusercontent'),
  );
  const named = (url: string, disposition: string | null, type: string | null) =>
    attachmentName(url, { disposition, type });
  expect(named('https://x.example/assets/1-2', null, 'image/png; charset=x')).toBe('1-2.png');
  expect(named('https://x.example/files/3/a.pdf', null, 'application/pdf')).toBe('a.pdf');
  expect(named('https://x.example/1', null, 'constructor')).toBe('1');
  expect(named('https://x.example/1', 'attachment; filename="../b c.txt"', null)).toBe('b_c.txt');
});
