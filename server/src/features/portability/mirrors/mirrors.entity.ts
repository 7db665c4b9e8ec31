/** What push and pull mirrors say of themselves alike. */
import type { PullMirror, PushMirror } from '../../../kernel/db/rows.ts';
import { Fields, Flag, Id, ListOf, Nullable, Text, Timestamp, Word } from '../../../kernel/http/entity.ts';
import { fingerprintOf } from './ssh-keys.ts';

export const authMethods = ['password', 'ssh_public_key'] as const;

/** The fields of a kind of mirrors whose updates have these states. */
export const mirrorFields = <const S extends readonly string[]>(updateStatuses: S) => ({
  id: Id(),
  enabled: Flag(),
  url: Text({ description: 'Stars stand for its name and password' }),
  update_status: Word(updateStatuses),
  last_update_at: Nullable(Timestamp()),
  last_update_started_at: Nullable(Timestamp()),
  last_successful_update_at: Nullable(Timestamp()),
  last_error: Nullable(Text({ description: 'Why the last update failed' })),
  mirror_branch_regex: Nullable(Text()),
  auth_method: Word(authMethods),
  host_keys: ListOf(Fields({ fingerprint_sha256: Text() }), {
    description: 'Of the server, over SSH: those that were given, or the one that it showed first',
  }),
});

type Row = PushMirror | PullMirror;

export const mirrorJson = <R extends Row>(row: R) => ({
  id: row.id,
  enabled: row.enabled,
  url: row.url,
  update_status: row.update_status as R['update_status'],
  last_update_at: row.last_update_at,
  last_update_started_at: row.last_update_started_at,
  last_successful_update_at: row.last_successful_update_at,
  last_error: row.last_error,
  mirror_branch_regex: row.mirror_branch_regex,
  auth_method: row.auth_method,
  host_keys: row.host_keys.map((key) => ({ fingerprint_sha256: fingerprintOf(key) })),
});

/** The public key of a mirror over SSH. */
export const publicKey = { public_key: Text({ description: 'As in authorized_keys' }) };
