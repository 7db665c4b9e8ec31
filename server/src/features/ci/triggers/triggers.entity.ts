/** Trigger tokens as the API shows them. */
import type { Static } from 'typebox';
import type { PipelineTrigger, User } from '../../../kernel/db/rows.ts';
import { Entity, Id, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { UserReference, userReference } from '../../identity/index.ts';
import { shortToken } from './tokens.ts';

export const TriggerEntity = Entity('PipelineTrigger', {
  id: Id(),
  token: Text({ description: 'Whole for whoever created it, its first four characters for others' }),
  description: Text(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  last_used: Nullable(Timestamp({ description: 'When it last created a pipeline' })),
  owner: Nullable(UserReference, { description: 'Whose rights its pipelines have' }),
});

export interface TriggerParts {
  readonly trigger: PipelineTrigger;
  readonly owner: User | null;
  readonly token: string;
  /** Who asks. */
  readonly viewerId: number | null;
  readonly externalUrl: string;
}

export function triggerJson(parts: TriggerParts): Static<typeof TriggerEntity> {
  const { trigger, owner, token, viewerId, externalUrl } = parts;
  const own = viewerId !== null && trigger.owner_id === viewerId;
  return {
    id: trigger.id,
    token: own ? token : shortToken(token),
    description: trigger.description,
    created_at: trigger.created_at,
    updated_at: trigger.updated_at,
    last_used: trigger.last_used_at,
    owner: owner && userReference(owner, externalUrl),
  };
}
