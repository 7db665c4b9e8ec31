/** Strategies between the form and the API. */
import { expect, it } from 'vitest';
import type { Strategy } from '../../lib/feature-flags.ts';
import { changesOf, draftOf, newDraft } from './strategies.ts';

const strategy = (id: number, more: Partial<Strategy> = {}): Strategy => ({
  ...{ id, name: 'default', parameters: {}, user_list: null },
  scopes: [{ id: id * 10, environment_scope: '*' }],
  ...more,
});

it('what is left out is deleted, what is new is added, and what the form does not show stays', () => {
  const rollout = { groupId: 'mine', rollout: '10', stickiness: 'userId' };
  const before = [strategy(1), strategy(2, { name: 'flexibleRollout', parameters: rollout })];
  const changed = { ...draftOf(before[1] as Strategy), percentage: '50', environments: 'production, staging' };
  const added = { ...newDraft(), kind: 'userWithId' as const, userIds: 'ann, bob\ncarl' };
  expect(changesOf(before, [changed, added])).toEqual([
    { id: 1, _destroy: true },
    {
      ...{ id: 2, name: 'flexibleRollout', parameters: { ...rollout, rollout: '50' } },
      scopes: [{ id: 20, _destroy: true }, { environment_scope: 'production' }, { environment_scope: 'staging' }],
    },
    { name: 'userWithId', parameters: { userIds: 'ann,bob,carl' }, scopes: [{ environment_scope: '*' }] },
  ]);
});
