/** Addresses to routes and back. */
import { describe, expect, it } from 'vitest';
import { externalPath, internalPath, isFileAddress, splitRef } from './urls.ts';

describe('addresses', () => {
  it.each([
    ['/group/project/-/pipelines/12', '/p/group~project/pipelines/12'],
    ['/a/b/c/-/tree/feature/x/src', '/p/a~b~c/tree/feature/x/src'],
    ['/group/project', '/o/group~project'],
    ['/groups/a/b', '/g/a~b'],
    ['/groups/a/b/-/group_members', '/g/a~b/group_members'],
    ['/users/sign_in', '/users/sign_in'],
    ['/groups/new', '/groups/new'],
    ['/', '/'],
  ])('%s', (outside, inside) => {
    expect(internalPath(outside)).toBe(inside);
    expect(externalPath(inside)).toBe(outside);
  });

  it('finds the longest ref', () => {
    expect(splitRef('feature/x/src/a.ts', ['feature', 'feature/x', 'main'])).toEqual({
      ref: 'feature/x',
      path: 'src/a.ts',
    });
    expect(splitRef('main', ['main'])).toEqual({ ref: 'main', path: '' });
    expect(splitRef('0123abcd/src', ['main'])).toEqual({ ref: '0123abcd', path: 'src' });
  });
});

it('addresses of files are none of pages', () => {
  for (const file of [
    '/api/v4/projects/1',
    '/-/images/x/y',
    '/a/b/-/raw/main/x.png?inline=false',
    '/a/b/-/merge_requests/1.diff',
    '/a/b/-/commit/0123abcd.patch',
    '/a/b/-/jobs/3/raw',
    '/a/b/badges/main/pipeline.svg',
    '/a/b/-/badges/release.svg',
  ])
    expect([file, isFileAddress(file)]).toEqual([file, true]);
  for (const page of [
    '/a/b',
    '/a/b/-/blob/main/raw/x.diff',
    '/a/b/-/merge_requests/1/diffs',
    '/a/b/-/jobs/3',
    '/groups/a',
  ])
    expect([page, isFileAddress(page)]).toEqual([page, false]);
});
