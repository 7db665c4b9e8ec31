/** Push mirrors as the API shows them. */
import type { Static } from 'typebox';
import type { PushMirror as Row } from '../../../kernel/db/rows.ts';
import { Entity, Fields, Flag, Id, ListOf, Nullable, Text, Timestamp, Word } from '../../../kernel/http/entity.ts';
import { fingerprintOf } from '../mirrors/ssh-keys.ts';

const updateStatuses = ['none', 'scheduled', 'started', 'finished', 'failed', 'to_retry'] as const;

export const authMethods = ['password', 'ssh_public_key'] as const;

export const MirrorKey = Entity('RemoteMirrorPublicKey', {
  public_key: Text({ description: 'As in authorized_keys' }),
});

export const PushMirror = Entity('RemoteMirror', {
  id: Id(),
  enabled: Flag(),
  url: Text({ description: 'Stars stand for its name and password' }),
  update_status: Word(updateStatuses),
  last_update_at: Nullable(Timestamp()),
  last_update_started_at: Nullable(Timestamp()),
  last_successful_update_at: Nullable(Timestamp()),
  last_error: Nullable(Text({ description: 'Why the last push failed' })),
  only_protected_branches: Flag(),
  mirror_branch_regex: Nullable(Text()),
  keep_divergent_refs: Flag(),
  auth_method: Word(authMethods),
  host_keys: ListOf(Fields({ fingerprint_sha256: Text() }), {
    description: 'Of the server, over SSH: those that were given, or the one that it showed first',
  }),
});

export const pushMirrorJson = (row: Row): Static<typeof PushMirror> => ({
  id: row.id,
  enabled: row.enabled,
  url: row.url,
  update_status: row.update_status,
  last_update_at: row.last_update_at,
  last_update_started_at: row.last_update_started_at,
  last_successful_update_at: row.last_successful_update_at,
  last_error: row.last_error,
  only_protected_branches: row.only_protected_branches,
  mirror_branch_regex: row.mirror_branch_regex,
  keep_divergent_refs: row.keep_divergent_refs,
  auth_method: row.auth_method,
  host_keys: row.host_keys.map((key) => ({ fingerprint_sha256: fingerprintOf(key) })),
});
