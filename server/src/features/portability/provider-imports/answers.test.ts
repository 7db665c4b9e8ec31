/** What other servers say, read without one. */
import { describe, expect, it } from 'vitest';
import { nextLink, waitOf } from './client.ts';
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
  it('how long a limit lasts', () => {
    const now = Date.parse('2024-05-06T07:08:09Z');
    const wait = (status: number, headers: Record<string, string> = {}, message = '') =>
      waitOf({ status, headers, body: Buffer.from(JSON.stringify({ message })) }, now);
    expect(wait(429, { 'retry-after': '7' })).toBe(7_000);
    expect(wait(429, { 'retry-after': 'Mon, 06 May 2024 07:08:39 GMT' })).toBe(30_000);
    expect(wait(503, { 'retry-after': '7' })).toBeNull();
    const reset = String(now / 1000 + 90);
    expect(wait(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset })).toBe(90_000);
    expect(wait(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' })).toBe(0);
    // The second limit is told by words; the time beside it is that of the first one.
    const second = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
    expect(wait(403, { 'x-ratelimit-remaining': '4000', 'x-ratelimit-reset': reset }, second)).toBe(60_000);
    expect(wait(403, { 'x-ratelimit-remaining': '4000' }, 'Must have push access to view collaborators')).toBeNull();
    expect(wait(200, { 'x-ratelimit-remaining': '0' })).toBeNull();
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
