/** Pull mirrors as the API shows them. */
import type { Static } from 'typebox';
import type { PullMirror as Row } from '../../../kernel/db/rows.ts';
import { Entity, Flag } from '../../../kernel/http/entity.ts';
import { mirrorFields, mirrorJson, publicKey } from '../mirrors/mirrors.entity.ts';

export const PullMirror = Entity('PullMirror', {
  ...mirrorFields(['none', 'scheduled', 'started', 'finished', 'failed']),
  mirror_trigger_builds: Flag(),
  only_mirror_protected_branches: Flag(),
  mirror_overwrites_diverged_branches: Flag(),
});

export const PullMirrorKey = Entity('PullMirrorPublicKey', publicKey);

export const pullMirrorJson = (row: Row): Static<typeof PullMirror> => ({
  ...mirrorJson(row),
  mirror_trigger_builds: row.trigger_builds,
  only_mirror_protected_branches: row.only_protected_branches,
  mirror_overwrites_diverged_branches: row.overwrites_diverged_branches,
});
