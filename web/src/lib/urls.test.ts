/** Addresses to routes and back. */
import { describe, expect, it } from 'vitest';
import { externalPath, internalPath, splitRef } from './urls.ts';

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
