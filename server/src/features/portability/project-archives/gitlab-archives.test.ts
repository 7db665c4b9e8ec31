/** Archives of projects as GitLab makes them, packed by the system's tar: what comes in, and what is refused. Slow, sampled: whole archives come in. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../../../test/app.ts';
import { type BuiltToken, unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { made } from '../../../../test/lfs.ts';
import { archiveWorld, picture } from '../../../../test/project-archives.ts';
import type { Json, RepositoryProject } from '../../../../test/repositories.ts';

const world = archiveWorld();
const { send, imported, list, refs } = world;
let app: TestApp;
let admin: BuiltToken;
let owner: BuiltToken;
let source: RepositoryProject;
let git: GitClient;
let directory: string;
let main: string;
let change: string;
beforeAll(async () => {
  ({ app, admin, owner, source } = await world.start());
  git = await gitClient();
  ({ directory } = git);
  for (const [place, to] of [
    ['code', ''],
    ['wiki', '.wiki'],
  ] as const) {
    const remote = source.remote(owner.secret).replace(/\.git$/, `${to}.git`);
    await git.run(['clone', '-q', '--mirror', remote, place]);
    await git.run(['bundle', 'create', '-q', path.join(directory, `${place}.bundle`), '--all'], place);
  }
  [main = '', change = ''] = (await git.run(['rev-parse', 'main', 'change'], 'code')).split('\n');
});
afterAll(async () => {
  await git.close();
  await world.close();
});

/** A folder with files, as `tar` packs it. */
function packed(files: Readonly<Record<string, string | Buffer>>, options: readonly string[] = []): Buffer {
  const folder = mkdtempSync(path.join(directory, 'tree-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  return execFileSync('tar', ['-cz', ...options, '-f', '-', '-C', folder, '.'], { maxBuffer: 1024 ** 3 });
}
const lines = (...rows: unknown[]) => `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;
const at = '2021-03-04T05:06:07.000Z';
const times = { created_at: at, updated_at: at };
const secret = randomBytes(16).toString('hex');
const long = `${'ä'.repeat(110)}.txt`;
const large = made();

function content(): Record<string, string | Buffer> {
  const tree = (name: string, ...rows: unknown[]) => ({ [`tree/project/${name}.ndjson`]: lines(...rows) });
  const user = { id: 77, username: owner.user.username, public_email: '' };
  const note = { note: 'Well', author_id: 77, author: { name: 'O' }, ...times, system: false };
  const discussion_id = 'a'.repeat(40);
  const [head, base] = [change, main];
  const position = { base_sha: base, start_sha: base, head_sha: head, old_path: 'change.txt', new_path: 'change.txt' };
  return {
    VERSION: '0.2.4',
    GITLAB_VERSION: '18.0.0',
    'tree/project.json': JSON.stringify({
      description: 'From elsewhere',
      visibility_level: 20,
      merge_requests_ff_only_enabled: true,
      remove_source_branch_after_merge: false,
      ci_config_path: null,
      runners_token: 'canary',
      id: 1,
    }),
    ...tree('project_feature', { wiki_access_level: 10, issues_access_level: 20, snippets_access_level: 0, id: 9 }),
    ...tree('labels', { id: 1, title: 'bug', color: '#abc', description: null, type: 'ProjectLabel', ...times }),
    ...tree('milestones', { id: 1, iid: 4, project_id: 1, title: 'v1.0', description: 'x', state: 'active', ...times }),
    ...tree('protected_branches', {
      name: 'main',
      push_access_levels: [{ access_level: 40 }, { access_level: 40, user_id: 77 }],
      merge_access_levels: [{ access_level: 30 }],
    }),
    ...tree('protected_tags', { name: 'v*', create_access_levels: [{ access_level: 40 }] }),
    ...tree('project_badges', {
      link_url: 'https://x.example/',
      image_url: 'https://x.example/y',
      type: 'ProjectBadge',
    }),
    ...tree('push_rule', { commit_message_regex: '.', max_file_size: 3, force_push_regex: null, is_sample: false }),
    ...tree(
      'project_members',
      { access_level: 40, user_id: 77, user },
      { access_level: 30, user_id: 5, user: { id: 5, username: 'nobody-here' } },
    ),
    ...tree('releases', {
      ...{ tag: 'v1', sha: main, name: 'One', description: 'First', author_id: 77, released_at: at, ...times },
      links: [{ name: 'file', url: 'https://x.example/f', filepath: '/f', link_type: 'other' }],
      milestone_releases: [{ milestone: { title: 'v1.0' } }],
    }),
    ...tree(
      'issues',
      {
        ...{ iid: 3, title: 'It breaks', description: 'Always', state: 'closed', issue_type: 'incident', weight: 2 },
        ...{ author_id: 77, closed_by_id: 77, closed_at: at, confidential: false, time_estimate: 60, ...times },
        issue_assignees: [{ user_id: 77 }],
        label_links: [{ label: { title: 'bug' } }],
        milestone: { title: 'v1.0' },
        resource_state_events: [{ state: 'closed', user_id: 77, created_at: '2021-03-04 05:06:07 UTC' }],
        timelogs: [{ time_spent: 1800, user_id: 77, spent_at: at, summary: 'half' }],
        notes: [{ ...note, note: 'Seen', type: null, discussion_id: 'b'.repeat(40) }],
      },
      { iid: 4, title: 'Aim', state: 'opened', work_item_type: { base_type: 'objective' }, author_id: 77, ...times },
    ),
    ...tree('boards', {
      name: 'Development',
      lists: [{ list_type: 'backlog' }, { list_type: 'label', label: { title: 'bug' }, position: 0 }],
    }),
    ...tree('merge_requests', {
      ...{
        iid: 8,
        source_branch: 'change',
        target_branch: 'main',
        title: 'A change',
        description: 'Why',
        state: 'opened',
      },
      ...{ source_project_id: 1, target_project_id: 1, author_id: 77, ...times },
      merge_request_diff: { base_commit_sha: base, head_commit_sha: head, start_commit_sha: base, created_at: at },
      label_links: [{ label: { title: 'bug' } }],
      milestone: { title: 'v1.0' },
      merge_request_assignees: [{ user_id: 77 }],
      notes: [
        {
          ...note,
          discussion_id,
          type: 'DiffNote',
          position: JSON.stringify({ ...position, position_type: 'text', old_line: null, new_line: 1 }),
        },
        {
          ...note,
          note: 'From a stranger',
          author_id: 5,
          author: { name: 'Some One' },
          discussion_id: 'b'.repeat(40),
          type: null,
        },
      ],
    }),
    ...tree('commit_notes', { ...note, commit_id: main, discussion_id: 'c'.repeat(40), type: null }),
    ...tree('ci_pipelines', { iid: 1, status: 'not here' }),
    'project.bundle': readFileSync(path.join(directory, 'code.bundle')),
    'project.wiki.bundle': readFileSync(path.join(directory, 'wiki.bundle')),
    [`uploads/${secret}/ä b.png`]: picture,
    [`uploads/${'d'.repeat(32)}/${long}`]: 'long',
    'uploads/odd/x.txt': 'no secret',
    'avatar/logo.png': picture,
    [`lfs-objects/${large.oid}`]: large.bytes,
    'lfs-objects.json': '{}',
  };
}

describe('of GitLab', () => {
  it.each([[[]], [['--format=pax']], [['--sort=name']]])(
    'come in as far as the product has what is in them %j',
    async (options) => {
      const status = await imported(packed(content(), options), { namespace: owner.user.username }, admin);
      expect([status.import_error, status.failed_relations]).toEqual([
        null,
        [
          expect.objectContaining({
            relation_name: 'project_members',
            exception_message: 'nobody is called nobody-here',
          }),
        ],
      ]);
      const one = { labels: 1, milestones: 1, badges: 1, releases: 1, push_rule: 1, merge_requests: 1, avatar: 1 };
      expect(status.stats).toMatchObject({
        imported: { ...one, issues: 2, boards: 1, notes: 4, uploads: 2, lfs_objects: 1, protected_tags: 1 },
      });
      const { id } = status;
      expect(await refs(id)).toBe((await refs(source.id)).replace(/.*refs\/merge-requests.*\n/g, (line) => line));
      const { body } = await app.api<Json>('GET', `/projects/${id}`, { token: admin.secret });
      expect(body).toMatchObject({
        description: 'From elsewhere',
        visibility: 'public',
        merge_method: 'ff',
        remove_source_branch_after_merge: false,
        wiki_access_level: 'private',
        default_branch: 'main',
        avatar_url: expect.stringContaining('/avatar/'),
      });
      expect(JSON.stringify(body)).not.toContain('canary');
      for (const [what, keys, rows] of [
        ['labels', ['name', 'color'], [{ name: 'bug', color: '#aabbcc' }]],
        ['milestones', ['iid', 'title'], [{ iid: 4, title: 'v1.0' }]],
        ['wikis', ['slug'], [{ slug: 'home' }, { slug: 'deep/page' }]],
        [
          'uploads',
          ['filename'],
          [{ filename: expect.stringMatching(/ä.*txt|ä_b.png/) }, { filename: expect.any(String) }],
        ],
        ['releases', ['tag_name', 'name'], [{ tag_name: 'v1', name: 'One' }]],
        [
          'merge_requests',
          ['iid', 'title', 'state', 'labels'],
          [{ iid: 8, title: 'A change', state: 'opened', labels: ['bug'] }],
        ],
        ['protected_tags', ['name'], [{ name: 'v*' }]],
        [
          'issues?sort=asc',
          ['iid', 'state', 'issue_type', 'weight', 'labels', 'closed_at', 'user_notes_count'],
          [
            {
              ...{ iid: 3, state: 'closed', issue_type: 'incident', weight: 2, labels: ['bug'] },
              ...{ closed_at: at, user_notes_count: 1 },
            },
            // A kind that is not known here.
            {
              ...{ iid: 4, state: 'opened', issue_type: 'issue', weight: null, labels: [] },
              ...{ closed_at: null, user_notes_count: 0 },
            },
          ],
        ],
        ['boards', ['name'], [{ name: 'Development' }]],
      ] as const)
        expect([what, await list(id, what, keys)]).toEqual([what, rows]);
      const issue = await app.api<Json>('GET', `/projects/${id}/issues/3`, { token: admin.secret });
      expect(issue.body).toMatchObject({
        author: { username: owner.user.username },
        closed_by: { username: owner.user.username },
        assignees: [{ username: owner.user.username }],
        milestone: { title: 'v1.0' },
        time_stats: { time_estimate: 60, total_time_spent: 1800 },
      });
      const notes = app.db.selectFrom('notes').selectAll().where('project_id', '=', Number(id)).orderBy('id');
      expect(await notes.execute()).toMatchObject([
        { body: 'Seen', noteable_type: 'issue', noteable_iid: 3, author_id: owner.user.id },
        { body: 'Well', kind: 'diff', author_id: owner.user.id, position: { new_line: 1 } },
        { body: '*By nobody-here*\n\nFrom a stranger', author_id: admin.user.id },
        { body: 'Well', commit_id: main },
      ]);
    },
    60_000,
  );

  it('bring a wiki with files of the same page, and of names that no page may have', async () => {
    const blob = (await git.run(['rev-parse', 'HEAD:home.md'], 'wiki')).trim();
    const long = `${Array.from({ length: 20 }, () => randomBytes(100).toString('hex')).join('/')}.md`;
    const [tree = ''] = (await git.run(['rev-parse', 'HEAD^{tree}'], 'wiki')).split('\n');
    await git.run(['read-tree', tree], 'wiki');
    for (const name of ['home.org', 'a b.md', long])
      await git.run(['update-index', '--add', '--cacheinfo', `100644,${blob},${name}`], 'wiki');
    const odd = (await git.run(['write-tree'], 'wiki')).trim();
    const commit = (await git.run(['commit-tree', '-p', 'HEAD', '-m', 'odd', odd], 'wiki')).trim();
    await git.run(['branch', 'odd', commit], 'wiki');
    await git.run(['symbolic-ref', 'HEAD', 'refs/heads/odd'], 'wiki');
    await git.run(['bundle', 'create', '-q', path.join(directory, 'odd.bundle'), 'odd', 'HEAD'], 'wiki');
    const status = await imported(
      packed({ ...content(), 'project.wiki.bundle': readFileSync(path.join(directory, 'odd.bundle')) }),
    );
    expect(status).toMatchObject({ import_status: 'finished', import_error: null });
    const kept = app.db
      .selectFrom('wiki_pages as p')
      .innerJoin('wikis as w', 'w.id', 'p.wiki_id')
      .select(['p.slug', 'p.title'])
      .where('w.project_id', '=', Number(status.id))
      .orderBy('p.slug');
    expect(await kept.execute()).toEqual([
      { slug: 'a b', title: 'a b' },
      { slug: 'deep/page', title: 'page' },
      { slug: 'home', title: 'home' },
    ]);
  });

  it('security 3 6 7: that are hostile or broken are refused, or told', async () => {
    const whole = content();
    const folder = mkdtempSync(path.join(directory, 'evil-'));
    mkdirSync(path.join(folder, 'tree/project'), { recursive: true });
    writeFileSync(path.join(folder, 'tree/project.json'), '{}');
    const evil = (...args: string[]) =>
      execFileSync('tar', ['-cz', '-f', '-', '-C', folder, ...args], { maxBuffer: 1024 ** 3, stdio: 'pipe' });
    symlinkSync('/etc/passwd', path.join(folder, 'link'));
    for (const name of ['labels', 'milestones', 'releases'])
      writeFileSync(path.join(folder, `tree/project/${name}.ndjson`), 'null\n');
    const [beginning, twice] = [['tree/project.json', 'tree/project'], 'tree/project/labels.ndjson'];
    for (const [file, reason] of [
      [evil(...beginning, 'link'), 'something else than regular files'],
      [evil('--transform', 's,^link,/etc/x,', '-h', ...beginning, 'link'), 'a name that is not allowed'],
      [evil('-P', '--transform', 's,^link,../../x,', '-h', ...beginning, 'link'), 'a name that is not allowed'],
      [evil('--hard-dereference', ...beginning, twice), `The archive holds ${twice} twice`],
      [packed({ ...whole, 'project.bundle': '# v2 git bundle\n' }), 'repository of the archive was refused'],
      [packed({ ...whole, 'project.wiki.bundle': 'x' }), 'repository of the archive was refused'],
    ] as const) {
      const sent = await send(file, { path: unique('evil') });
      const failed = sent.status === 400 ? JSON.stringify(sent.body) : String((await imported(file)).import_error);
      expect(failed).toContain(reason);
    }
    for (const file of [
      packed({ VERSION: '0.2.4', 'tree/other.json': '{}' }),
      packed({ 'tree/project.json': '[]' }),
      gzipSync(Buffer.alloc(2048)),
    ])
      expect((await send(file, { path: unique('none') })).status).toBe(400);
    const broken = packed({
      ...whole,
      'tree/project.json': JSON.stringify({ visibility_level: 'x', description: ['y'], merge_method: 'never' }),
      'tree/project/labels.ndjson': 'no json\n[]\nnull\n{"title":{"a":1}}\n',
      'tree/project/commit_notes.ndjson': lines({ type: 'constructor', note: 'x', commit_id: main, ...times }),
      'avatar/logo.png': '<svg/>',
      [`lfs-objects/${'e'.repeat(64)}`]: 'other bytes',
    });
    const status = await imported(broken);
    expect(status).toMatchObject({ import_status: 'finished' });
    const told = (status.failed_relations as Json[]).map(({ relation_name: name }) => name);
    expect(told).toEqual(
      expect.arrayContaining(['labels', 'avatar', 'lfs_objects', 'project_members', 'commit_notes']),
    );
    const { body } = await app.api<Json>('GET', `/projects/${status.id}`, { token: owner.secret });
    expect(body).toMatchObject({ visibility: 'private', description: '' });
  });
});
