/** How audit events read, and the filter in the address. */
import { describe, expect, it } from 'vitest';
import { factsOf, impersonatorOf, ownTitleOf, titleOf } from './audit.ts';
import { readAuditFilter, timesOf } from './audit-filter.ts';

describe('an audit event', () => {
  it('reads as words, with what was changed where the name does not say it', () => {
    expect(titleOf({ event_name: 'user_totp_added', details: {} })).toBe('User authenticator application added');
    expect(ownTitleOf({ event_name: 'user_signed_in', details: {} })).toBe('Signed in');
    const changed = { change: 'max_login_attempts', from: 10, to: 7 };
    expect(titleOf({ event_name: 'application_setting_updated', details: changed })).toBe(
      'Application setting updated: max_login_attempts',
    );
    expect(titleOf({ event_name: 'project_visibility_updated', details: { change: 'visibility' } })).toBe(
      'Project visibility updated',
    );
  });

  it('tells both sides of a change and the rest, not what stands in the row anyway', () => {
    expect(factsOf({ details: { change: 'x', from: false, to: true, ip_address: '::1', author_name: 'A' } })).toEqual([
      'no → yes',
    ]);
    expect(
      factsOf({ details: { as: 'Developer', expires_at: null, remember: true, scopes: ['api', 'sudo'] } }),
    ).toEqual(['as: Developer', 'remember', 'scopes: api, sudo']);
    expect(
      factsOf({ details: { from: { level: 'Guest' }, to: { level: 'Owner', expires_at: '2030-01-01' } } }),
    ).toEqual(['level Guest → level Owner, expires at 2030-01-01']);
  });

  it('names the administrator behind its author', () => {
    expect(impersonatorOf({ details: { impersonated_by: { id: 1, name: 'Root' } } })).toBe('Root');
    expect(impersonatorOf({ details: {} })).toBeNull();
  });
});

describe('the filter', () => {
  it('is read from the address, without what it does not know', () => {
    expect(
      readAuditFilter({ entity_type: 'Planet', author: '@root', created_after: '2026-01-02', created_before: 'soon' }),
    ).toEqual({ entity_type: undefined, author: 'root', created_after: '2026-01-02', created_before: undefined });
    expect(readAuditFilter({ entity_type: 'Group' }).entity_type).toBe('Group');
    expect(readAuditFilter({ entity_type: 'toString' }).entity_type).toBeUndefined();
  });

  it('takes whole days', () => {
    expect(timesOf({ created_after: '2026-01-02', created_before: '2026-01-02' })).toEqual({
      created_after: '2026-01-02T00:00:00Z',
      created_before: '2026-01-02T23:59:59.999Z',
    });
  });
});
