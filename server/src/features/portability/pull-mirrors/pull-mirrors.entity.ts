/** Pull mirrors as the API shows them. */
import type { Static } from 'typebox';
import type { PullMirror as Row } from '../../../kernel/db/rows.ts';
import { Entity, Fields, Flag, Id, ListOf, Nullable, Text, Timestamp, Word } from '../../../kernel/http/entity.ts';
import { fingerprintOf } from '../mirrors/ssh-keys.ts';
import { authMethods } from '../push-mirrors/push-mirrors.entity.ts';

const updateStatuses = ['none', 'scheduled', 'started', 'finished', 'failed'] as const;

export const PullMirror = Entity('PullMirror', {
  id: Id(),
  enabled: Flag(),
  url: Text({ description: 'Stars stand for its name and password' }),
  update_status: Word(updateStatuses),
  last_update_at: Nullable(Timestamp()),
  last_update_started_at: Nullable(Timestamp()),
  last_successful_update_at: Nullable(Timestamp()),
  last_error: Nullable(Text({ description: 'Why the last update failed' })),
  mirror_trigger_builds: Flag(),
  only_mirror_protected_branches: Flag(),
  mirror_overwrites_diverged_branches: Flag(),
  mirror_branch_regex: Nullable(Text()),
  auth_method: Word(authMethods),
  host_keys: ListOf(Fields({ fingerprint_sha256: Text() }), {
    description: 'Of the server, over SSH: those that were given, or the one that it showed first',
  }),
});

export const PullMirrorKey = Entity('PullMirrorPublicKey', {
  public_key: Text({ description: 'As in authorized_keys' }),
});

export const pullMirrorJson = (row: Row): Static<typeof PullMirror> => ({
  id: row.id,
  enabled: row.enabled,
  url: row.url,
  update_status: row.update_status,
  last_update_at: row.last_update_at,
  last_update_started_at: row.last_update_started_at,
  last_successful_update_at: row.last_successful_update_at,
  last_error: row.last_error,
  mirror_trigger_builds: row.trigger_builds,
  only_mirror_protected_branches: row.only_protected_branches,
  mirror_overwrites_diverged_branches: row.overwrites_diverged_branches,
  mirror_branch_regex: row.mirror_branch_regex,
  auth_method: row.auth_method,
  host_keys: row.host_keys.map((key) => ({ fingerprint_sha256: fingerprintOf(key) })),
});
