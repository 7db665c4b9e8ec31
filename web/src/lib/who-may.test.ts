/** Choices of who may, there and back. */
import { describe, expect, it } from 'vitest';
import { changesTo, choiceOf, grantOf, inWords } from './who-may.ts';

const nobody = { access_level: null, user_id: null, group_id: null, access_level_description: 'x' };
const entries = [
  { ...nobody, id: 1, access_level: 0, access_level_description: 'No one' },
  { ...nobody, id: 2, user_id: 7, access_level_description: 'Ada' },
  { ...nobody, id: 3, group_id: 3 },
  { ...nobody, id: 4, access_level: 40, deploy_key_id: 5 },
];

describe('who may', () => {
  it('an entry is a choice, and a choice what the API is told', () => {
    const choices = entries.map(choiceOf);
    expect(choices).toEqual(['role:0', 'user:7', 'group:3', 'key:5']);
    expect(choices.map(grantOf)).toEqual([{ access_level: 0 }, { user_id: 7 }, { group_id: 3 }, { deploy_key_id: 5 }]);
  });

  it('only what differs is changed', () => {
    expect(changesTo(entries, ['user:7', 'group:3', 'key:5', 'role:40'])).toEqual([
      { id: 1, _destroy: true },
      { access_level: 40 },
    ]);
    expect(changesTo(entries, entries.map(choiceOf))).toEqual([]);
  });

  it('in words', () => {
    expect([inWords(entries.slice(0, 2)), inWords([])]).toEqual(['No one, Ada', 'No one']);
  });
});
