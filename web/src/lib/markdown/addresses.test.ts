/** Relative links and pictures of documents in repositories. */
import { describe, expect, it } from 'vitest';
import { linkAddress, pictureAddress } from './addresses.ts';

const base = { project: 'mill/race', ref: 'feature/x', folder: 'docs/user' };

describe('addresses in documents', () => {
  it.each([
    ['guide.md#setup', '/mill/race/-/blob/feature/x/docs/user/guide.md#setup'],
    ['../api/', '/mill/race/-/tree/feature/x/docs/api'],
    ['/LICENSE', '/mill/race/-/blob/feature/x/LICENSE'],
    ['a%20b.md', '/mill/race/-/blob/feature/x/docs/user/a%20b.md'],
    ['#here', '#here'],
    ['https://example.com/a', 'https://example.com/a'],
    ['//example.com/a', '//example.com/a'],
    ['../../../outside', '../../../outside'],
  ])('link %s', (href, address) => {
    expect(linkAddress(href, base)).toBe(address);
  });

  it('pictures come from the repository or not at all', () => {
    expect(pictureAddress('img/a.png?x', base)).toBe(
      '/api/v4/projects/mill%2Frace/repository/files/docs%2Fuser%2Fimg%2Fa.png/raw?ref=feature%2Fx',
    );
    expect(pictureAddress('https://example.com/a.png', base)).toBeNull();
    expect(pictureAddress('//example.com/a.png', base)).toBeNull();
    expect(pictureAddress('data:image/svg+xml;base64,AA', base)).toBeNull();
  });
});
