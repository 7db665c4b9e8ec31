import { expect, test } from 'vitest';
import { gitea, plain } from './gitea.ts';

const dialect = gitea('secret', 'miller');

test('a question of a row is asked in the words of the peer, with its token', () => {
  const ask = { path: '/api/v4/repos/miller/race/repository/commits?ref_name=main&per_page=20&page=3' };
  expect(dialect.wire(ask)).toEqual({
    path: '/api/v1/repos/miller/race/commits?limit=20&page=3&stat=false&verification=false&files=false&sha=main',
    headers: { Authorization: 'token secret' },
  });
  expect(plain.wire(ask)).toBe(ask);
});

test('files of a commit travel in base64, and a new branch is begun by the same request', () => {
  const { method, path, body } = dialect.wire({
    method: 'POST',
    path: '/api/v4/repos/miller/race/repository/commits',
    body: {
      branch: 'flood',
      start_branch: 'main',
      commit_message: 'Raise the gate',
      actions: [{ action: 'create', file_path: 'gate.txt', content: 'up\n' }],
    },
  });
  expect([method, path]).toEqual(['POST', '/api/v1/repos/miller/race/contents']);
  expect(body).toEqual({
    message: 'Raise the gate',
    branch: 'main',
    new_branch: 'flood',
    files: [{ operation: 'create', path: 'gate.txt', content: Buffer.from('up\n').toString('base64') }],
  });
});

test('labels are known by the number that the peer gave them', () => {
  const path = '/api/v4/repos/miller/race/labels';
  dialect.heard({ method: 'POST', path }, { id: 7, name: 'pump' });
  const made = dialect.wire({
    method: 'POST',
    path: '/api/v4/repos/miller/race/issues',
    body: { title: 'It leaks', labels: 'pump', assignee_ids: [1] },
  });
  expect(made.body).toMatchObject({ labels: [7], assignees: ['miller'] });
  expect(dialect.heard({ path }, { number: 4 })).toMatchObject({ iid: 4 });
});

test('what a peer is never asked is an error of the bench, and a refusal to merge yet is no answer', () => {
  expect(() => dialect.wire({ path: '/api/v4/repos/miller/race/wikis' })).toThrow('no word for GET');
  expect(dialect.busy(405, 'Please try again later')).toBe(true);
  expect(dialect.busy(409, 'conflict')).toBe(false);
});
