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

  it('files that were uploaded for the project', () => {
    const secret = '66dbcd21ec5d24ed6ea225176098d52b';
    const address = `/api/v4/projects/mill%2Frace/uploads/${secret}/a%20b.png`;
    expect(linkAddress(`/uploads/${secret}/a%20b.png`, base)).toBe(address);
    expect(pictureAddress(`/uploads/${secret}/a b.png`, base)).toBe(address);
    expect(linkAddress('/uploads/short/a.png', base)).toBe('/mill/race/-/blob/feature/x/uploads/short/a.png');
  });

  const secret = '66dbcd21ec5d24ed6ea225176098d52b';
  it.each([
    ['guide/First steps', '/groups/mill/-/wikis/guide/First-steps'],
    ['./Linux#top', '/groups/mill/-/wikis/guide/Linux#top'],
    ['../home', '/groups/mill/-/wikis/home'],
    ['/home.md', '/groups/mill/-/wikis/home'],
    [`uploads/${secret}/a.pdf`, `/api/v4/groups/mill/wikis/attachments/${secret}/a.pdf`],
    [`/uploads/${secret}/a.pdf`, `/api/v4/groups/mill/uploads/${secret}/a.pdf`],
    ['../../outside', '../../outside'],
    ['javascript:alert(1)', 'javascript:alert(1)'],
  ])('link %s of a page of a wiki', (href, address) => {
    expect(linkAddress(href, { wiki: 'group', place: 'mill', page: 'guide/install' })).toBe(address);
  });

  it('pictures of a wiki are its own files or uploads of its place', () => {
    const wiki = { wiki: 'project', place: 'mill/race', page: 'home' } as const;
    expect([linkAddress('guide', wiki), linkAddress('.', wiki)]).toEqual([
      '/mill/race/-/wikis/guide',
      '/mill/race/-/wikis',
    ]);
    const api = '/api/v4/projects/mill%2Frace';
    expect(pictureAddress(`uploads/${secret}/a b.png`, wiki)).toBe(`${api}/wikis/attachments/${secret}/a%20b.png`);
    expect(pictureAddress(`/uploads/${secret}/a.png`, wiki)).toBe(`${api}/uploads/${secret}/a.png`);
    expect(pictureAddress('img/a.png', wiki)).toBeNull();
    expect(pictureAddress('https://example.com/a.png', wiki)).toBeNull();
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
