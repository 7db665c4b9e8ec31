/** JSON of members of groups and projects. */
import type { Static } from 'typebox';
import { Level } from '../../../kernel/authz/levels.ts';
import {
  Count,
  Day,
  Entity,
  Fields,
  Flag,
  Id,
  MapOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
  Word,
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
  email: Sometimes(Text({ description: 'For owners, of accounts that the single sign-on of the group manages' })),
  group_saml_identity: Sometimes(
    Nullable(Fields({ extern_uid: Text(), provider: Text(), saml_provider_id: Nullable(Id()) }), {
      description: 'For owners of a group with single sign-on: who the member is there',
    }),
  ),
  source: Sometimes(
    Fields(
      {
        kind: Word(['direct', 'inherited', 'shared']),
        id: Nullable(Id({ description: 'The group from which the role comes; null where it is given here' })),
        name: Nullable(Text()),
        web_url: Nullable(Text()),
      },
      { description: 'Where the role comes from; with `with_source`' },
    ),
  ),
});

/** Memberships that wait for a seat, and addresses that are invited. */
export const PendingMember = Entity('PendingMember', {
  id: Id({ description: 'Of the membership, for its approval; of the invitation where `invited`' }),
  name: Sometimes(Text()),
  username: Sometimes(Text()),
  email: Sometimes(Text({ description: 'Of invitations, and for administrators' })),
  avatar_url: Nullable(Text()),
  web_url: Nullable(Text()),
  approved: Flag(),
  invited: Flag(),
});

/** The answer to adding several at once. */
export const MembersAdded = Entity('MembersAdded', {
  status: Text({ description: '`success`, or `error` when some could not be added' }),
  message: Sometimes(MapOf(Text(), { description: 'Reasons by user' })),
});

/** A person with their level at some place. */
export interface MemberRow extends ReferenceRow {
  readonly level: number;
  readonly expires_at: string | null;
  readonly granted_at: Date;
  readonly granted_by: number | null;
  readonly user_type: string;
  readonly email: string;
  readonly membership_state: 'active' | 'awaiting';
  readonly source_kind: 'direct' | 'inherited' | 'shared';
  readonly source_id: number | null;
  readonly source_name: string | null;
  readonly source_path: string | null;
}

/** Who somebody is for the single sign-on of a group. */
export interface SamlIdentity {
  readonly extern_uid: string;
  readonly provider: string;
  readonly saml_provider_id: number | null;
}

export interface MemberOptions {
  readonly externalUrl: string;
  readonly createdBy: ReferenceRow | undefined;
  readonly seats: boolean;
  readonly source: boolean;
  /** Undefined where the caller is not told. */
  readonly saml: SamlIdentity | null | undefined;
}

function sourceOf(row: MemberRow, externalUrl: string) {
  if (row.source_kind === 'direct') return { kind: row.source_kind, id: null, name: null, web_url: null };
  const web_url = row.source_path === null ? null : `${externalUrl}/groups/${row.source_path}`;
  return { kind: row.source_kind, id: row.source_id, name: row.source_name, web_url };
}

export function memberJson(row: MemberRow, options: MemberOptions): Static<typeof Member> {
  const { externalUrl, createdBy, seats, saml } = options;
  const takesSeat = row.user_type === 'human' && row.state === 'active' && row.level > Level.guest;
  return {
    ...userReference(row, externalUrl),
    access_level: row.level,
    created_at: row.granted_at,
    ...(createdBy ? { created_by: userReference(createdBy, externalUrl) } : {}),
    expires_at: row.expires_at,
    membership_state: row.membership_state,
    ...(seats ? { is_using_seat: takesSeat && row.membership_state === 'active' } : {}),
    ...(saml === undefined ? {} : { group_saml_identity: saml, ...(saml ? { email: row.email } : {}) }),
    ...(options.source ? { source: sourceOf(row, externalUrl) } : {}),
  };
}
