/** Which actions an account is offered. */
import { expect, test } from 'vitest';
import { offeredActions } from './actions.ts';

const user = (state: string, is_admin = false) => ({
  id: 7,
  username: 'ada',
  name: 'Ada',
  state,
  locked: false,
  public_email: null,
  avatar_url: null,
  web_url: '',
  is_admin,
});
const labels = (state: string, admin = false, own = false) =>
  offeredActions(user(state, admin), own).map(({ label }) => label);

test('each state offers the way out of it', () => {
  expect(labels('active')).toEqual(['Make administrator', 'Deactivate', 'Block', 'Ban']);
  expect(labels('blocked')).toEqual(['Unblock']);
  expect(labels('banned')).toEqual(['Lift the ban']);
  expect(labels('deactivated')).toEqual(['Activate', 'Block']);
  expect(labels('blocked_pending_approval')).toEqual(['Approve', 'Reject']);
});

test('nobody is offered to lock themselves out', () => {
  expect(labels('active', true, true)).toEqual([]);
});
