/** What previews of files in an archive show. */
import { expect, it } from 'vitest';
import { frameOf, textPreview } from './artifacts.ts';

it('tells pages, documents and other texts apart', () => {
  expect(textPreview('coverage/index.HTML', '<p>x</p>')).toEqual({ kind: 'page', text: '<p>x</p>' });
  expect(textPreview('README.md', '# x')).toEqual({ kind: 'markdown', text: '# x' });
  expect(textPreview('a.txt', 'x')).toEqual({ kind: 'text', text: 'x' });
  expect(textPreview('a.html', 'x\0')).toEqual({ kind: 'binary', text: '' });
  expect(textPreview('a.json', '{"a":1}')).toEqual({ kind: 'text', text: '{"a":1}' });
});

it('security: allows a page of an artifact nothing but its own styles and pictures', () => {
  const frame = frameOf('<script>alert(1)</script>');
  expect(frame.indexOf("default-src 'none'")).toBeGreaterThan(0);
  expect(frame.indexOf("default-src 'none'")).toBeLessThan(frame.indexOf('<script>'));
  expect(frame).not.toContain('script-src');
});
