/** What is kept of the names of uploaded pictures. */
import { expect, it } from 'vitest';
import { pictureFile, pictureKey, storedPicture } from './pictures.ts';

it.each([
  ['avatar.png', 'image/png', 'avatar.png'],
  ['Me at sea (2).JPEG', 'image/jpeg', 'Me_at_sea_2_.jpeg'],
  ['../../evil.html', 'image/png', 'evil.png'],
  ['C:\\pictures\\me.gif', 'image/gif', 'me.gif'],
  ['.htaccess', 'image/png', 'htaccess.png'],
  ['..', 'image/png', 'avatar.png'],
  ['', 'image/webp', 'avatar.webp'],
  ['фото.png', 'image/png', 'avatar.png'],
  ['a\0b\n.png', 'image/png', 'a_b_.png'],
  ['0123456789abcdef0123456789abcdef', 'image/png', '0123456789abcdef0123456789abcdef.png'],
  [`${'x'.repeat(300)}.png`, 'image/png', `${'x'.repeat(100)}.png`],
])('%j of type %s ends an address as %s', (name, type, file) => {
  const stored = storedPicture('key', name, type);
  expect([pictureKey(stored), pictureFile(stored)]).toEqual(['key', file]);
});

it('pictures that were kept without a name end with their key', () => {
  expect([pictureKey('key'), pictureFile('key')]).toEqual(['key', 'key']);
});
