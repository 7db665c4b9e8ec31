/** The search page: what can be looked for, and where results lead. */
import { describe, expect, it } from 'vitest';
import { facetGroups, marks, placeChange, placeValue, rowOf, scopeOf, scopesOf, textOf } from './search.ts';

const configured = { anonymous: true, scopes: ['projects', 'issues', 'users'], default_scope: 'issues' };

describe('scopes', () => {
  it('are those of the place, people only for who is signed in', () => {
    expect(scopesOf({}, configured, true)).toEqual(['projects', 'issues', 'users']);
    expect(scopesOf({}, configured, false)).toEqual(['projects', 'issues']);
    expect(scopesOf({ project_id: 'a/b' }, configured, false)).toContain('blobs');
    expect(scopesOf({ group_id: 'a' }, configured, true)).toContain('blobs');
    expect(scopesOf({ group_id: 'a' }, configured, true)).toEqual(expect.arrayContaining(['commits', 'notes']));
  });

  it('begin with the one that the address, then the instance names', () => {
    expect(scopeOf({}, configured, true)).toBe('issues');
    expect(scopeOf({ scope: 'projects' }, configured, true)).toBe('projects');
    expect(scopeOf({ scope: 'blobs' }, configured, true)).toBe('issues');
    expect(scopeOf({ project_id: 'a/b' }, { ...configured, default_scope: null }, true)).toBe('blobs');
    expect(scopeOf({}, { ...configured, scopes: [], default_scope: null }, true)).toBeUndefined();
  });
});

describe('results', () => {
  it('lead to the line with the text', () => {
    const blob = { path: 'src/a b.ts', data: 'one\nThe Zebra\n', ref: 'main', startline: 4, project_path: 'g/p' };
    expect(rowOf('blobs', blob, 'zebra', 'g/p')).toMatchObject({
      href: '/g/p/-/blob/main/src/a%20b.ts#L5',
      meta: ['main'],
      code: { first: 4, text: 'one\nThe Zebra\n' },
    });
    expect(rowOf('blobs', blob, 'zebra', '').meta).toEqual(['g/p', 'main']);
    expect(rowOf('wiki_blobs', { ...blob, path: 'docs/Home.md' }, 'zebra', 'g/p')).toMatchObject({
      title: 'docs/Home',
      href: '/g/p/-/wikis/docs/Home',
    });
    const ofGroup = { ...blob, path: 'Home.md', project_path: 'g', group_id: 3 };
    expect(rowOf('wiki_blobs', ofGroup, 'zebra', '').href).toBe('/groups/g/-/wikis/Home');
  });

  it('lead to comments where they are', () => {
    const note = {
      ...{ id: 7, body: 'a\n zebra', noteable_type: 'Issue', noteable_iid: 3, noteable_id: 9, internal: true },
      ...{ author: { name: 'Ada' }, created_at: '2026-01-01T00:00:00.000Z', project_id: 1, project_path: 'g/p' },
    };
    expect(rowOf('notes', note, 'zebra', 'g/p')).toMatchObject({
      title: 'a zebra',
      href: '/g/p/-/issues/3#note_7',
      meta: ['issue #3', 'Ada', 'Internal'],
    });
    const onEpic = { ...note, project_id: null, project_path: 'g', noteable_type: 'Epic', internal: false };
    expect(rowOf('notes', onEpic, 'zebra', '')).toMatchObject({
      href: '/groups/g/-/epics/3#note_7',
      meta: ['g', 'epic &3', 'Ada'],
    });
  });

  it('lead to commits of any project', () => {
    const commit = { id: 'abc', short_id: 'ab', title: 'T', author_name: 'Ada', committed_date: 'x' };
    const web_url = 'https://host/g/p/-/commit/abc';
    expect(rowOf('commits', { ...commit, web_url }, 't', '')).toMatchObject({
      href: '/g/p/-/commit/abc',
      meta: ['g/p', 'ab', 'Ada'],
    });
  });

  it('keep the host of an address out', () => {
    const issue = {
      id: 1,
      iid: 2,
      title: 'T',
      web_url: 'https://host/g/p/-/issues/2',
      state: 'opened',
      created_at: 'x',
    };
    expect(rowOf('issues', issue, 't', '')).toMatchObject({ href: '/g/p/-/issues/2', meta: ['g/p', 'Open'] });
  });
});

it('places in the address', () => {
  expect(placeChange('project:a/b')).toMatchObject({ project_id: 'a/b', group_id: undefined });
  expect(placeChange(null)).toMatchObject({ project_id: undefined, group_id: undefined });
  expect(placeValue({ group_id: 'a' })).toBe('group:a');
});

it('what was looked for is marked, whatever its case', () => {
  expect(textOf({ search: 'zebra -path:x  two lang:"C & D"' })).toBe('zebra two');
  expect(textOf({ search: 'zebra', regex: true })).toBe('');
  expect(marks('A Zebra, zebra', 'zebra')).toEqual([
    { text: 'A ', hit: false },
    { text: 'Zebra', hit: true },
    { text: ', ', hit: false },
    { text: 'zebra', hit: true },
  ]);
  expect(marks('x', '')).toEqual([{ text: 'x', hit: false }]);
});

it('facets narrow the search, where there is a choice', () => {
  const found = {
    ...{ files: 3, complete: true },
    projects: [
      { project_id: 1, group_id: null, project_path: 'a/b', files: 2 },
      { project_id: 2, group_id: null, project_path: 'a/c', files: 1 },
    ],
    languages: [
      { name: 'Ruby', files: 2 },
      { name: 'Visual Basic .NET', files: 1 },
    ],
    directories: [{ path: 'lib/', files: 3 }],
  };
  const groups = facetGroups(found, { search: 'zebra' });
  expect(groups.map(({ label }) => label)).toEqual(['Projects', 'Languages']);
  expect(groups[0]?.values[1]).toEqual({ name: 'a/c', files: 1, change: { project_id: 'a/c', group_id: undefined } });
  expect(groups[1]?.values.map(({ change }) => change.search)).toEqual([
    'zebra language:Ruby',
    'zebra language:"Visual Basic .NET"',
  ]);
  expect(facetGroups(found, { search: 'zebra', project_id: 'a/b' }).map(({ label }) => label)).toEqual(['Languages']);
});
