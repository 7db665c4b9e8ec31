/** Refusals of the API as sentences. */
import { describe, expect, it } from 'vitest';
import { fieldLabel, fieldSentence, printedFields, sentenceOf, statusSentence } from './error-words.ts';

describe('words of refusals', () => {
  it.each([
    ['403 Forbidden', 'You do not have permission to do this.'],
    ['401 Unauthorized', 'Your session has ended. Sign in again.'],
    ['404 Not found', 'This does not exist, or you do not have access to it.'],
    ['404 Merge Request Not Found', 'Merge request not found.'],
    ['403 Forbidden - Archived projects are read-only', 'Archived projects are read-only.'],
    ['400 Bad request - Unplayable Job', 'Unplayable Job.'],
    ['500 Internal Server Error', 'The server could not process the request. Try again later.'],
    ['insufficient permissions to see this', 'Insufficient permissions to see this.'],
    ['You are about to push twice!', 'You are about to push twice!'],
    ['409 is not a status here', 'Is not a status here.'],
    ['The branch was not found', 'The branch was not found.'],
  ])('%s', (text, sentence) => {
    expect(sentenceOf(text)).toBe(sentence);
  });

  it('name fields as pages do', () => {
    expect(fieldLabel('path')).toBe('URL path');
    expect(fieldLabel('external_url')).toBe('External URL');
    expect(fieldLabel('project_namespace.name')).toBe('Name');
    expect(fieldSentence('name', 'has already been taken')).toBe('Name has already been taken.');
    expect(fieldSentence('base', 'there are too many')).toBe('There are too many.');
    expect(fieldSentence('key', 'Key is too short')).toBe('Key is too short.');
  });

  it('find the fields inside a sentence', () => {
    const text = 'Failed to save group {:path=>["has already been taken"], :name=>["is too short", "says \\"no\\""]}';
    expect(printedFields(text)).toEqual({ path: ['has already been taken'], name: ['is too short', 'says "no"'] });
    expect(printedFields('404 Group Not Found')).toBeNull();
  });

  it('say what is known where the answer says nothing', () => {
    expect(statusSentence(0)).toContain('cannot be reached');
    expect(statusSentence(429)).toContain('Too many requests');
    expect(statusSentence(503)).toContain('not available');
    expect(statusSentence(500)).toContain('could not process');
    expect(statusSentence(418)).toBe('The server refused the request (HTTP 418).');
  });
});
