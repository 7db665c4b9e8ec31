/** Relative links and images of documents. */
import { describe, expect, it } from 'vitest';
import { documentAddresses, imageAddress, linkAddress } from './addresses.ts';

const base = { kind: 'repository', project: 'mill/race', ref: 'feature/x', folder: 'docs/user' } as const;
const secret = '66dbcd21ec5d24ed6ea225176098d52b';

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

  it('uploads of the project or group', () => {
    const address = `/api/v4/projects/mill%2Frace/uploads/${secret}/a%20b.png`;
    expect(linkAddress(`/uploads/${secret}/a%20b.png`, base)).toBe(address);
    expect(imageAddress(`/uploads/${secret}/a b.png`, base)).toBe(address);
    expect(linkAddress('/uploads/short/a.png', base)).toBe('/mill/race/-/blob/feature/x/uploads/short/a.png');
    const group = { kind: 'group', group: 'mill/works' } as const;
    expect(imageAddress(`/uploads/${secret}/a.png`, group)).toBe(`/api/v4/groups/mill%2Fworks/uploads/${secret}/a.png`);
    expect([linkAddress('docs/a.md', group), imageAddress('docs/a.png', group)]).toEqual(['docs/a.md', null]);
  });

  it.each([
    ['guide/First steps', '/groups/mill/-/wikis/guide/First-steps'],
    ['./Linux#top', '/groups/mill/-/wikis/guide/Linux#top'],
    ['../home', '/groups/mill/-/wikis/home'],
    ['/home.md', '/groups/mill/-/wikis/home'],
    [`uploads/${secret}/a.pdf`, `/api/v4/groups/mill/wikis/attachments/${secret}/a.pdf`],
    [`/uploads/${secret}/a.pdf`, `/api/v4/groups/mill/uploads/${secret}/a.pdf`],
    ['../../outside', '../../outside'],
  ])('link %s of a page of a wiki', (href, address) => {
    expect(linkAddress(href, { kind: 'wiki', of: 'group', path: 'mill', page: 'guide/install' })).toBe(address);
  });

  it('images of a wiki are its own files or uploads of its project', () => {
    const wiki = { kind: 'wiki', of: 'project', path: 'mill/race', page: 'home' } as const;
    expect([linkAddress('guide', wiki), linkAddress('.', wiki)]).toEqual([
      '/mill/race/-/wikis/guide',
      '/mill/race/-/wikis',
    ]);
    const api = '/api/v4/projects/mill%2Frace';
    expect(imageAddress(`uploads/${secret}/a b.png`, wiki)).toBe(`${api}/wikis/attachments/${secret}/a%20b.png`);
    expect(imageAddress(`/uploads/${secret}/a.png`, wiki)).toBe(`${api}/uploads/${secret}/a.png`);
    expect(imageAddress('img/a.png', wiki)).toBeNull();
  });

  it('images of a repository are its raw files; others are from elsewhere or from nowhere', () => {
    const { image } = documentAddresses({ base, externalUrl: 'https://millrace.example', absolute: false });
    expect(image('img/a b.png?x')).toEqual({ address: '/mill/race/-/raw/feature/x/docs/user/img/a%20b.png' });
    expect(image('https://example.com/a.png')).toEqual({ elsewhere: 'https://example.com/a.png' });
    expect(image('//example.com/a.png')).toEqual({ elsewhere: 'https://example.com/a.png' });
    expect(image('../../../outside.png')).toBeNull();
  });

  it('addresses of this instance begin with its URL where they are asked to, and do not leave it', () => {
    const externalUrl = 'https://millrace.example';
    const { link, image, leaves } = documentAddresses({ base, externalUrl, absolute: true });
    expect(link('/LICENSE')).toBe(`${externalUrl}/mill/race/-/blob/feature/x/LICENSE`);
    expect(image('a.png')).toEqual({ address: `${externalUrl}/mill/race/-/raw/feature/x/docs/user/a.png` });
    expect([link('#here'), link('//example.com/')]).toEqual(['#here', '//example.com/']);
    expect(['/a', '#a', `${externalUrl}/a`].map(leaves)).toEqual([false, false, false]);
    expect(['//example.com', 'https://example.com', '\\\\example.com', 'mailto:a@example.com'].map(leaves)).toEqual([
      ...[true, true, true, true],
    ]);
  });
});
