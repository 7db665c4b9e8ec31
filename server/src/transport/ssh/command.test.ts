/** What is read out of the one line that a client sends. */
import { describe, expect, it } from 'vitest';
import { parseCommand, projectPath, words } from './command.ts';

describe('the words of a line', () => {
  it.each([
    [`git-upload-pack 'group/project.git'`, ['git-upload-pack', 'group/project.git']],
    [`a  "b c"\td\\ e`, ['a', 'b c', 'd e']],
    [`'it'\\''s'`, ["it's"]],
    [`"a\\"b\\c\\$d"`, ['a"b\\c$d']],
    [`'' ""`, ['', '']],
    ['', []],
    [`'open`, null],
    [`"open`, null],
    ['end\\', null],
    [`$(id) \`id\` ; rm *`, ['$(id)', '`id`', ';', 'rm', '*']],
  ])('%s', (line, expected) => {
    expect(words(line)).toEqual(expected);
  });
});

it('a path with and without what clients put around it', () => {
  for (const text of ['g/p', '/g/p', 'g/p.git', '/g/p.git', '/g/p.git/', '~/g/p.git', '/~/g/p', '//g/p'])
    expect([text, projectPath(text)]).toEqual([text, 'g/p']);
  expect(projectPath('a/b/c/d.wiki.git')).toBe('a/b/c/d.wiki');
  expect(projectPath('/g.wiki.git')).toBe('g.wiki');
  for (const text of ['', '/', 'p', 'p.git', '/p', 'a//b', 'a/\n/b', 'a/b\0', '.git', '~', '.wiki.git'])
    expect([text, projectPath(text)]).toEqual([text, null]);
});

describe('commands', () => {
  it('of git, in both spellings', () => {
    const git = (program: string, path = 'g/p') => ({ kind: 'git', program, path });
    expect(parseCommand(`git-upload-pack '/g/p.git'`)).toEqual(git('git-upload-pack'));
    expect(parseCommand(`git upload-pack "g/p"`)).toEqual(git('git-upload-pack'));
    expect(parseCommand('git-receive-pack g/p.git')).toEqual(git('git-receive-pack'));
    expect(parseCommand(`git-upload-archive 'g/p.git'`)).toEqual(git('git-upload-archive'));
    for (const line of ['git-upload-pack', `git-upload-pack 'a'`, `git-upload-pack --strict 'g/p'`])
      expect(parseCommand(line)).toMatchObject({
        kind: 'invalid',
        text: expect.stringContaining('could not be found'),
      });
  });

  it('about the account', () => {
    expect(parseCommand('discover')).toEqual({ kind: 'discover' });
    expect(parseCommand('2fa_recovery_codes')).toEqual({ kind: 'recovery-codes' });
    expect(parseCommand('2fa_verify')).toEqual({ kind: 'verify' });
    expect(parseCommand('personal_access_token laptop read_api,read_user 7')).toEqual({
      kind: 'token',
      name: 'laptop',
      scopes: ['read_api', 'read_user'],
      days: 7,
    });
    expect(parseCommand(`personal_access_token 'my laptop' api`)).toMatchObject({ name: 'my laptop', days: null });
    expect(parseCommand(`git-lfs-authenticate 'g/p.git' upload`)).toEqual({
      kind: 'lfs',
      path: 'g/p',
      operation: 'upload',
    });
    expect(parseCommand(`git-lfs-authenticate g/p download 0123`)).toMatchObject({ operation: 'download' });
    for (const line of [
      'personal_access_token',
      'personal_access_token x',
      'personal_access_token x , 3',
      'personal_access_token x api -3',
      'personal_access_token x api 3 4',
      'git-lfs-authenticate g/p',
      'git-lfs-authenticate g/p delete',
    ])
      expect([line, parseCommand(line).kind]).toEqual([line, 'invalid']);
  });

  it('and nothing else: no shell, no file transfer', () => {
    const others = ['', 'ls', 'bash -i', 'scp -t /tmp', '/bin/sh', 'git', 'git status', 'git-shell', 'rsync --server'];
    for (const line of others)
      expect(parseCommand(line)).toMatchObject({ kind: 'invalid', text: expect.stringContaining('no shell') });
  });

  it('security 4: random lines always have an answer, and a path of git is never an option or more than one line', () => {
    const pieces = [
      ...'\'"\\ \t\n\0$`;|&<>()*?~/.-é😀'.split(''),
      ...[
        'git-upload-pack',
        'git',
        'upload-pack',
        'git-lfs-authenticate',
        'g/p',
        '.git',
        '--upload-pack=x',
        '..',
        '2fa_verify',
      ],
      ...['personal_access_token', 'api', '1'],
    ];
    let state = 20261121;
    const random = (below: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state % below;
    };
    for (let round = 0; round < 20_000; round += 1) {
      const line = Array.from({ length: random(12) }, () => pieces[random(pieces.length)]).join(random(2) ? ' ' : '');
      const command = parseCommand(line);
      if (command.kind === 'git' || command.kind === 'lfs') {
        expect(command.path.split('/').length).toBeGreaterThan(1);
        expect(command.path).not.toMatch(/[\0\n]|\/\/|^\/|\/$/);
      } else if (command.kind === 'invalid') expect(command.text).not.toBe('');
    }
    expect(parseCommand(`git-upload-pack ${'x/'.repeat(10_000)}`)).toMatchObject({ kind: 'invalid' });
  });
});
