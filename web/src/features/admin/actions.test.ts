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
  expect(labels('active')).toEqual(['Make administrator', 'Send password reset link', 'Deactivate', 'Block', 'Ban']);
  expect(labels('blocked')).toEqual(['Unblock']);
  expect(labels('banned')).toEqual(['Unban']);
  expect(labels('deactivated')).toEqual(['Activate', 'Send password reset link', 'Block']);
  expect(labels('blocked_pending_approval')).toEqual(['Approve', 'Reject']);
});

test('second factors are taken away from those who have some, and from no administrator', () => {
  const label = 'Disable two-factor authentication';
  const offered = (is_admin: boolean) =>
    offeredActions({ ...user('active', is_admin), two_factor_enabled: true }, false).map((action) => action.label);
  expect(offered(false)).toContain(label);
  expect(offered(true)).not.toContain(label);
});

test('who is locked is unlocked', () => {
  const offered = offeredActions({ ...user('active'), locked: true }, false).map(({ label }) => label);
  expect(offered).toContain('Unlock');
});

test('nobody is offered to lock themselves out', () => {
  expect(labels('active', true, true)).toEqual([]);
});
