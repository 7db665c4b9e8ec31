/** Links of profiles. */
import { expect, test } from 'vitest';
import { linkOf } from './people-links.ts';

test('names become addresses, addresses stay', () => {
  expect(linkOf('github', '@octo')).toBe('https://github.com/octo');
  expect(linkOf('linkedin', 'https://www.linkedin.com/in/x')).toBe('https://www.linkedin.com/in/x');
  expect(linkOf('twitter', 'a/../b')).toBe('https://x.com/a%2F..%2Fb');
  expect(linkOf('website_url', 'http://example.com')).toBe('http://example.com/');
});

test('security 9: what could run is no link', () => {
  expect(linkOf('website_url', 'javascript:alert(1)')).toBeNull();
  expect(linkOf('website_url', 'data:text/html,x')).toBeNull();
  expect(linkOf('skype', 'live:somebody')).toBeNull();
});
