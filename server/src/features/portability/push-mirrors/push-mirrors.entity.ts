/** Push mirrors as the API shows them. */
import type { Static } from 'typebox';
import type { PushMirror as Row } from '../../../kernel/db/rows.ts';
import { Entity, Flag } from '../../../kernel/http/entity.ts';
import { mirrorFields, mirrorJson, publicKey } from '../mirrors/mirrors.entity.ts';

export const MirrorKey = Entity('RemoteMirrorPublicKey', publicKey);

export const PushMirror = Entity('RemoteMirror', {
  ...mirrorFields(['none', 'scheduled', 'started', 'finished', 'failed', 'to_retry']),
  only_protected_branches: Flag(),
  keep_divergent_refs: Flag(),
});

export const pushMirrorJson = (row: Row): Static<typeof PushMirror> => ({
  ...mirrorJson(row),
  only_protected_branches: row.only_protected_branches,
  keep_divergent_refs: row.keep_divergent_refs,
});
