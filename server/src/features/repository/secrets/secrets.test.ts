/** Secret push protection: the real git, commits of the API and merges; and the settings of projects. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { secretKinds } from './rules.ts';
import { secretScanner } from './scanner.ts';

let app: TestApp;
let git: GitClient;
let project: RepositoryProject;
let clone: string;
beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
  project = await buildRepositoryProject(app);
  await app.settings.write({ secret_push_protection_available: true });
  await protect(true);
});
afterAll(async () => {
  await git.close();
  await app.close();
});
beforeEach(async () => {
  clone = unique('clone');
  await git.run(['clone', '-q', project.remote(project.owner.secret), clone]);
});

const protect = async (on: boolean) =>
  expect(
    (await project.api('PUT', '/security_settings', { json: { secret_push_protection_enabled: on } })).status,
  ).toBe(200);
const secret = `glpat-${'Ab1_'.repeat(6)}xyz`;
const push = async (...args: string[]) => {
  const { code, stderr } = await git.try(['push', ...args], clone);
  return { code, said: stderr.replaceAll(/\s*\nremote: ?/g, '\n').replaceAll(/ +\n/g, '\n') };
};
const skips = () =>
  app.db
    .selectFrom('audit_events')
    .selectAll()
    .where('event', '=', 'skip_secret_push_protection')
    .orderBy('id')
    .execute();

describe('pushes', () => {
  it('are refused with the commit, file, line and kind, and never the secret; what is taken out passes', async () => {
    const tip = await git.commit(clone, 'src/ä file.txt', `one\ntwo ${secret}\nthree\n`);
    const { code, said } = await push('origin', 'HEAD:refs/heads/leak');
    expect([code, said]).toEqual([1, expect.stringContaining('PUSH BLOCKED: secrets were found')]);
    expect(said).toContain(`In commit ${tip}:\n-- src/ä file.txt:2 | personal access token`);
    expect(said).not.toContain(secret.slice(0, 12));
    expect(said).not.toContain(app.directory);
    await git.commit(clone, 'src/ä file.txt', 'one\ntwo\n');
    // It is still in the history.
    expect((await push('origin', 'HEAD:refs/heads/leak')).code).toBe(1);
    await git.run(['reset', '-q', '--soft', 'origin/main'], clone);
    await git.run(['commit', '-q', '-m', 'clean'], clone);
    expect(await push('origin', 'HEAD:refs/heads/leak')).toMatchObject({ code: 0 });
  });

  it('only what is new is looked at: lines that were there, and removed ones, are nobody’s fault', async () => {
    await protect(false);
    await git.commit(clone, 'old.txt', `${secret}\nx\n`);
    expect(await push('origin', 'HEAD:refs/heads/old')).toMatchObject({ code: 0 });
    await protect(true);
    await git.commit(clone, 'old.txt', `${secret}\ny\n++ not a header ${'z'.repeat(30)}\n`);
    await git.commit(clone, 'old.txt', 'gone\n');
    expect(await push('origin', 'HEAD:refs/heads/old', 'HEAD:refs/heads/older')).toMatchObject({ code: 0 });
    expect(await push('origin', ':older')).toMatchObject({ code: 0 });
  });

  it('a merge that brings one itself is refused, one that only joins is not', async () => {
    await git.run(['checkout', '-q', '-b', 'side'], clone);
    await git.commit(clone, 'side.txt', 'a\n');
    await git.run(['checkout', '-q', 'main'], clone);
    await git.commit(clone, 'main.txt', 'b\n');
    await git.run(['merge', '-q', '--no-commit', 'side'], clone);
    await writeFile(path.join(git.directory, clone, 'main.txt'), `b\n${secret}\n`);
    await git.run(['add', '-A'], clone);
    await git.run(['commit', '-q', '-m', 'evil'], clone);
    expect((await push('origin', 'HEAD:refs/heads/merged')).said).toContain('-- main.txt:2 | personal access token');
    await writeFile(path.join(git.directory, clone, 'main.txt'), 'b\n');
    await git.run(['commit', '-q', '-a', '--amend', '-m', 'fine'], clone);
    expect(await push('origin', 'HEAD:refs/heads/merged')).toMatchObject({ code: 0 });
  });

  it('the option and the mark in a message skip it, and leave an audit event', async () => {
    const before = (await skips()).length;
    const tip = await git.commit(clone, 'a.txt', secret);
    expect(await push('-o', 'secret_push_protection.skip_all', 'origin', 'HEAD:refs/heads/skip1')).toMatchObject({
      code: 0,
    });
    await git.commit(clone, 'b.txt', secret, 'Keep it [skip secret push protection]');
    expect(await push('origin', 'HEAD:refs/heads/skip2')).toMatchObject({ code: 0 });
    const told = (await skips()).slice(before);
    expect(told).toMatchObject([
      {
        entity_id: project.id,
        author_id: project.owner.user.id,
        details: { by: 'push option', refs: [`refs/heads/skip1 ${tip}`] },
      },
      { entity_id: project.id, details: { by: 'commit message' } },
    ]);
    expect(JSON.stringify(told)).not.toContain(secret);
  });

  it('binary files, long lines and the budget', async () => {
    await git.commit(clone, 'binary', `\0${secret}`);
    expect(await push('origin', 'HEAD:refs/heads/binary')).toMatchObject({ code: 0 });
    await git.commit(clone, 'long.js', `${'x'.repeat(1_500_000)} ${secret}${'y '.repeat(1000)}\nz\n`);
    expect((await push('origin', 'HEAD:refs/heads/long')).said).toContain('-- long.js:1 | personal access token');
    await app.settings.write({ secret_push_protection_size_limit: 1 });
    const { code, said } = await push('origin', 'HEAD:refs/heads/long');
    await app.settings.write({ secret_push_protection_size_limit: 100 });
    expect([code, said.replaceAll('\n', ' ')]).toEqual([
      1,
      expect.stringContaining('it is more than 1 MiB (secret_push_protection_size_limit)'),
    ]);
  });
});

it('commits of the API are looked at too, and projects that are not protected are not', async () => {
  const commit = (branch: string, more: Json = {}) =>
    project.api('POST', '/repository/commits', {
      json: {
        branch,
        start_branch: 'main',
        commit_message: 'x',
        actions: [{ action: 'create', file_path: 'k.pem', content: `-----BEGIN RSA ${'PRIVATE'} KEY-----\nMII` }],
        ...more,
      },
    });
  expect(await commit('api1')).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('-- k.pem:1 | private key') },
  });
  expect((await commit('api2', { commit_message: '[skip secret push protection]' })).status).toBe(201);
  await protect(false);
  expect((await commit('api3')).status).toBe(201);
  await protect(true);
});

it('security settings: developers read, maintainers change, others are told no', async () => {
  const target = '/security_settings';
  const json = { pre_receive_secret_detection_enabled: false };
  const developer = await project.member(30);
  const reporter = await project.member(20);
  expect((await project.api('GET', target, { token: null })).status).toBe(401);
  expect((await project.api('GET', target, { token: reporter.secret })).status).toBe(403);
  expect(await project.api('GET', target, { token: developer.secret })).toMatchObject({
    status: 200,
    body: { project_id: project.id, secret_push_protection_enabled: true, pre_receive_secret_detection_enabled: true },
  });
  expect((await project.api('PUT', target, { token: developer.secret, json })).status).toBe(403);
  expect((await project.api('PUT', target, { json: {} })).status).toBe(400);
  expect(await project.api('PUT', target, { json })).toMatchObject({ body: { secret_push_protection_enabled: false } });
  await protect(true);
  const other = await buildRepositoryProject(app);
  expect((await other.api('GET', target)).body).toMatchObject({ secret_push_protection_enabled: false });
});

describe('kinds', () => {
  it('each is known by its name, and by the prefix of this instance', () => {
    const find = secretScanner('house-');
    const samples: Readonly<Record<string, string>> = {
      'personal access token': `"${secret}"`,
      'AWS access key': `key=AKIA${'ABCD1234'.repeat(2)}`,
      'GitHub token': `ghp_${'a1B2'.repeat(9)}`,
      'Slack token': `xoxb-${'1234567890-'.repeat(3)}abc`,
      'Stripe key': `sk_live_${'a1'.repeat(12)}`,
      'npm token': `npm_${'a1'.repeat(18)}`,
      'Google API key': `AIza${'a1B2c'.repeat(7)}`,
      'SendGrid key': `SG.${'a1'.repeat(11)}.${'b'.repeat(43)}`,
      'private key': `-----BEGIN OPENSSH ${'PRIVATE'} KEY-----`,
      'DigitalOcean token': `dop_v1_${'0f'.repeat(32)}`,
    };
    for (const [name, text] of Object.entries(samples)) expect([name, find(`x = ${text};`)]).toEqual([name, name]);
    expect(find(`house-${'Ab1_'.repeat(6)}xyz`)).toBe('personal access token');
    for (const harmless of ['glpat-short', 'AKIA', 'my_npm_package', 'SG.', 'house-warming party', 'PRIVATE KEY'])
      expect([harmless, find(harmless)]).toEqual([harmless, null]);
    expect(secretKinds.every(({ marks }) => marks.every((mark) => mark.length >= 3))).toBe(true);
  });

  it('security 10: a megabyte of beginnings takes a moment', () => {
    const find = secretScanner('glpat-');
    const before = process.cpuUsage();
    expect(find('glpat-AKIA xoxb- sk_live_ '.repeat(40_000))).toBeNull();
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5);
  });
});
