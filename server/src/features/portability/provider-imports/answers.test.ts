/** What other servers say, read without one. */
import { describe, expect, it } from 'vitest';
import { nextLink } from './client.ts';
import { apiOf } from './hosted.ts';
import { lastLineOf } from './hunks.ts';

describe('what other servers say', () => {
  it('pages behind pages', () => {
    expect(nextLink('<https://a.example/x?page=2>; rel="next", <https://a.example/x?page=9>; rel="last"')).toBe(
      'https://a.example/x?page=2',
    );
    expect(nextLink('<https://a.example/x?page=1>; rel="prev"')).toBeNull();
    expect(nextLink(undefined)).toBeNull();
  });
  it('where their API is', () => {
    expect(apiOf(undefined)).toBe('https://api.github.com');
    expect(apiOf('https://ghe.example/')).toBe('https://ghe.example/api/v3');
    expect(apiOf('ghe.example/api/v3')).toBe('https://ghe.example/api/v3');
    expect(apiOf('https://user:secret@ghe.example')).toBeNull();
    expect(apiOf('http://')).toBeNull();
  });
  it('which line a comment is about', () => {
    const at = (hunk: string) => lastLineOf(hunk, 'a.txt');
    expect(at('@@ -1,2 +1,2 @@ x\n one\n-two\n+2')).toMatchObject({ old_line: null, new_line: 2 });
    expect(at('@@ -5,3 +7,3 @@\n a\n-b')).toMatchObject({ old_line: 6, new_line: null });
    expect(at('@@ -5 +7 @@\n a')).toMatchObject({ old_line: 5, new_line: 7 });
    expect(at('no hunk')).toBeNull();
    expect(at('@@ -5 +7 @@')).toBeNull();
  });
});
