/** JSON of users: the reference inside other objects, the public profile, one's own account, the administrator's view. */
import type { Static, TOptional, TProperties } from 'typebox';
import type { Identity, User } from '../../../kernel/db/rows.ts';
import {
  Count,
  Day,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
} from '../../../kernel/http/entity.ts';
import { pictureFile } from '../../../kernel/images/index.ts';

type Optionals<T extends TProperties> = { [K in keyof T]: TOptional<T[K]> };

const sometimes = <T extends TProperties>(properties: T): Optionals<T> =>
  Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, Sometimes(schema)])) as Optionals<T>;

const without = <T extends TProperties, U extends TProperties>(all: T, drop: U): Omit<T, keyof U> =>
  Object.fromEntries(Object.entries(all).filter(([key]) => !(key in drop))) as Omit<T, keyof U>;

const reference = {
  id: Id(),
  username: Text(),
  public_email: Nullable(Text({ description: 'Address shown on the profile' })),
  name: Text(),
  state: Text({ description: '`active`, `blocked`, `deactivated`, `banned`, `blocked_pending_approval`' }),
  locked: Flag({ description: 'Too many failed sign-ins' }),
  avatar_url: Nullable(Text()),
  web_url: Text(),
};
const profile = {
  ...reference,
  created_at: Timestamp(),
  bio: Nullable(Text()),
  location: Nullable(Text()),
  skype: Nullable(Text()),
  linkedin: Nullable(Text()),
  twitter: Nullable(Text()),
  discord: Nullable(Text()),
  github: Nullable(Text()),
  website_url: Nullable(Text()),
  organization: Nullable(Text()),
  job_title: Nullable(Text()),
  pronouns: Nullable(Text()),
  bot: Flag({ description: 'Whether it stands for a program' }),
  work_information: Nullable(Text()),
  local_time: Nullable(Text({ description: 'In the time zone that the user chose' })),
};
const follows = {
  followers: Count(),
  following: Count(),
  is_followed: Flag({ description: 'By the caller' }),
};
const account = {
  ...profile,
  last_sign_in_at: Nullable(Timestamp()),
  confirmed_at: Nullable(Timestamp({ description: 'When the email address was confirmed' })),
  last_activity_on: Nullable(Day({ description: 'Day of the last activity' })),
  email: Text(),
  theme_id: Id(),
  color_scheme_id: Id(),
  projects_limit: Count(),
  current_sign_in_at: Nullable(Timestamp()),
  identities: ListOf(Fields({ provider: Text(), extern_uid: Text(), saml_provider_id: Nullable(Id()) })),
  can_create_group: Flag(),
  can_create_project: Flag(),
  two_factor_enabled: Flag(),
  external: Flag({ description: 'Whether the user sees internal projects as a member only' }),
  private_profile: Flag({ description: 'Whether the profile is hidden from others' }),
  commit_email: Text(),
  preferred_language: Text(),
  followers: Count(),
  following: Count(),
};

/** What administrators note of a user, by keys of their own. */
export const CustomAttribute = Entity('CustomAttribute', { key: Text(), value: Text() });

/** A user as other objects name them. */
export const UserReference = Entity('UserReference', reference);
/** A user's public profile. */
export const UserProfile = Entity('User', profile);

const administration = {
  is_admin: Flag(),
  is_auditor: Flag(),
  note: Nullable(Text()),
  namespace_id: Nullable(Id({ description: 'Id of the personal namespace' })),
  created_by: Nullable(UserReference, { description: 'Who created it' }),
  using_license_seat: Flag({ description: 'Whether the account counts as one that can be used' }),
  shared_runners_minutes_limit: Nullable(Count()),
  extra_shared_runners_minutes_limit: Nullable(Count()),
  unconfirmed_email: Nullable(Text({ description: 'An address that replaces the present one when it is confirmed' })),
  custom_attributes: Sometimes(ListOf(CustomAttribute)),
};
const details = {
  sign_in_count: Count(),
  current_sign_in_ip: Nullable(Text()),
  last_sign_in_ip: Nullable(Text()),
  highest_role: Count({ description: 'The highest level that the user has anywhere' }),
  plan: Nullable(Text()),
  trial: Nullable(Flag()),
};
/** Any account, for administrators. */
export const UserForAdmin = Entity('UserForAdmin', { ...account, ...administration });
/** Any account with its sign-ins, for administrators. */
export const UserDetailsForAdmin = Entity('UserDetailsForAdmin', { ...account, ...administration, ...details });
/** One's own account; administrators see the administrator's keys of it too. */
export const UserAccount = Entity('UserAccount', { ...account, ...sometimes(administration) });
/** A user in lists and by id: as much as the caller may see. */
export const UserView = Entity('UserView', {
  ...reference,
  ...sometimes(without(account, reference)),
  ...sometimes(follows),
  ...sometimes(administration),
  ...sometimes(details),
});

/** The columns that a reference needs; other slices join these. */
export type ReferenceRow = Pick<
  User,
  'id' | 'username' | 'name' | 'state' | 'public_email' | 'locked_until' | 'avatar_object_key'
>;
/** A user with what other tables tell of them. */
export interface AccountRow extends User {
  readonly namespace_id: number | null;
  readonly created_by: ReferenceRow | null;
  readonly identities: readonly Pick<Identity, 'provider' | 'extern_uid' | 'saml_provider_id'>[];
  readonly followers: number;
  readonly following: number;
}

function avatarUrl(user: Pick<User, 'id' | 'avatar_object_key'>, externalUrl: string): string | null {
  if (user.avatar_object_key === null) return null;
  return `${externalUrl}/uploads/-/system/user/avatar/${user.id}/${pictureFile(user.avatar_object_key)}`;
}

/** A user reference; `externalUrl` has no trailing slash. */
export function userReference(user: ReferenceRow, externalUrl: string): Static<typeof UserReference> {
  return {
    id: user.id,
    username: user.username,
    public_email: user.public_email,
    name: user.name,
    state: user.state,
    locked: user.locked_until !== null && user.locked_until > new Date(),
    avatar_url: avatarUrl(user, externalUrl),
    web_url: `${externalUrl}/${user.username}`,
  };
}

/** One per time zone: making one takes longer than everything else about a user. There are a few hundred zones. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function localTime({ timezone }: User): string | null {
  if (timezone === null) return null;
  let clock = clocks.get(timezone);
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit', timeZone: timezone });
    clocks.set(timezone, clock);
  }
  return clock.format(new Date());
}

function workInformation(user: User): string | null {
  if (user.job_title && user.organization) return `${user.job_title} at ${user.organization}`;
  return user.job_title || user.organization || null;
}

/** The user without what a private profile hides from others. */
export function withheld(user: User): User {
  const links = { skype: '', linkedin: '', twitter: '', discord: '', github: '', website_url: '' };
  return { ...user, ...links, bio: '', location: '', organization: '', job_title: '', pronouns: null, timezone: null };
}

/** Whether the account stands for a program. */
export const isBot = ({ user_type }: Pick<User, 'user_type'>): boolean =>
  user_type !== 'human' && user_type !== 'ghost';

/** The public profile: what the user chose to tell. */
export function userProfile(user: User, externalUrl: string): Static<typeof UserProfile> {
  return {
    ...userReference(user, externalUrl),
    created_at: user.created_at,
    bio: user.bio,
    location: user.location,
    skype: user.skype,
    linkedin: user.linkedin,
    twitter: user.twitter,
    discord: user.discord,
    github: user.github,
    website_url: user.website_url,
    organization: user.organization,
    job_title: user.job_title,
    pronouns: user.pronouns,
    bot: isBot(user),
    work_information: workInformation(user),
    local_time: localTime(user),
  };
}

/** One's own account. */
export function userAccount(user: AccountRow, externalUrl: string): Static<typeof UserAccount> {
  return {
    ...userProfile(user, externalUrl),
    last_sign_in_at: user.last_sign_in_at,
    confirmed_at: user.confirmed_at,
    last_activity_on: user.last_activity_on,
    email: user.email,
    theme_id: user.theme_id,
    color_scheme_id: user.color_scheme_id,
    projects_limit: user.projects_limit,
    current_sign_in_at: user.current_sign_in_at,
    identities: user.identities.map(({ provider, extern_uid, saml_provider_id }) => ({
      provider,
      extern_uid,
      saml_provider_id,
    })),
    can_create_group: user.can_create_group,
    can_create_project: user.projects_limit > 0,
    two_factor_enabled: user.two_factor_enabled,
    external: user.external,
    private_profile: user.private_profile,
    commit_email: user.commit_email ?? user.email,
    preferred_language: user.preferred_language,
    followers: user.followers,
    following: user.following,
  };
}

/** Any account, for administrators. */
export function userForAdmin(user: AccountRow, externalUrl: string): Static<typeof UserForAdmin> {
  return {
    ...userAccount(user, externalUrl),
    is_admin: user.admin,
    is_auditor: user.auditor,
    note: user.note,
    namespace_id: user.namespace_id,
    created_by: user.created_by && userReference(user.created_by, externalUrl),
    using_license_seat: user.state === 'active' && user.user_type === 'human',
    shared_runners_minutes_limit: user.shared_runners_minutes_limit,
    extra_shared_runners_minutes_limit: user.extra_shared_runners_minutes_limit,
    unconfirmed_email: user.unconfirmed_email,
  };
}

/** Any account with its sign-ins, for administrators. */
export function userDetails(
  user: AccountRow,
  highestRole: number,
  externalUrl: string,
): Static<typeof UserDetailsForAdmin> {
  return {
    ...userForAdmin(user, externalUrl),
    sign_in_count: user.sign_in_count,
    current_sign_in_ip: user.current_sign_in_ip,
    last_sign_in_ip: user.last_sign_in_ip,
    highest_role: highestRole,
    // There is one plan, and nothing to try.
    plan: null,
    trial: null,
  };
}
