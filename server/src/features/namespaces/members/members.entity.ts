/** JSON of members of groups and projects. */
import type { Static } from 'typebox';
import {
  AnyJson,
  Count,
  Day,
  Entity,
  Flag,
  Id,
  MapOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
} from '../../../kernel/http/entity.ts';
import { type ReferenceRow, UserReference, userReference } from '../../identity/index.ts';

export const Member = Entity('Member', {
  id: Id(),
  username: Text(),
  public_email: Nullable(Text({ description: 'Address shown on the profile' })),
  name: Text(),
  state: Text(),
  locked: Flag({ description: 'Too many failed sign-ins' }),
  avatar_url: Nullable(Text()),
  web_url: Text(),
  access_level: Count({ description: 'Role: 5, 10, 15, 20, 30, 40 or 50' }),
  created_at: Timestamp(),
  created_by: Sometimes(UserReference),
  expires_at: Nullable(Day()),
  membership_state: Text({ description: '`active`, or `awaiting` approval' }),
  is_using_seat: Sometimes(Flag({ description: 'Whether the member takes a seat' })),
});

/** The answer to adding several at once. */
export const MembersAdded = Entity('MembersAdded', {
  status: Text({ description: '`success`, or `error` when some could not be added' }),
  message: Sometimes(MapOf(AnyJson(), { description: 'Reasons by user' })),
});

/** A person with their level at some place. */
export interface MemberRow extends ReferenceRow {
  readonly level: number;
  readonly expires_at: string | null;
  readonly granted_at: Date;
  readonly granted_by: number | null;
  readonly user_type: string;
}

export interface MemberOptions {
  readonly externalUrl: string;
  readonly createdBy: ReferenceRow | undefined;
  readonly seats: boolean;
}

export function memberJson(row: MemberRow, { externalUrl, createdBy, seats }: MemberOptions): Static<typeof Member> {
  return {
    ...userReference(row, externalUrl),
    access_level: row.level,
    created_at: row.granted_at,
    ...(createdBy ? { created_by: userReference(createdBy, externalUrl) } : {}),
    expires_at: row.expires_at,
    membership_state: 'active',
    ...(seats ? { is_using_seat: row.user_type === 'human' && row.state === 'active' && row.level > 5 } : {}),
  };
}
