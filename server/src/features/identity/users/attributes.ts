/**
 * Every attribute of an account that administrators set: its parameter, where it is kept, who sees it, and what it does.
 * The routes take their parameters from here; docs/api/user-attributes.md and the tests are made from it.
 */
import type { TSchema } from 'typebox';
import type { User } from '../../../kernel/db/rows.ts';
import { Bool, FileParam, Int32, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';

const text = (maxLength: number, description: string) => Optional(Str({ maxLength, description }));

/** Parameters that both creating and changing an account take. */
export const attributeParameters = {
  admin: Optional(Bool({ description: 'Administrator' })),
  auditor: Optional(Bool({ description: 'Marked as auditor' })),
  avatar: Optional(OrNull(FileParam({ description: 'Picture: PNG, JPEG, GIF, WebP, BMP or ICO; empty removes it' }))),
  bio: text(255, 'About the person'),
  can_create_group: Optional(Bool({ description: 'May create top-level groups' })),
  color_scheme_id: Optional(Int32({ minimum: 1, description: 'Colours of code' })),
  commit_email: text(255, 'Address in commits made on the page: a confirmed one, or `_private`'),
  discord: text(500, 'Discord user id'),
  extern_uid: text(255, 'The person at the provider: an unchanging id; with `provider`'),
  external: Optional(Bool({ description: 'External: sees no internal projects' })),
  extra_shared_runners_minutes_limit: Optional(OrNull(Int32({ minimum: 0, description: 'Further minutes' }))),
  github: text(500, 'GitHub username'),
  job_title: text(255, 'Job title'),
  linkedin: text(500, 'LinkedIn name'),
  location: text(255, 'Location'),
  note: text(2000, 'Note of the administrators'),
  organization: text(255, 'Organization'),
  private_profile: Optional(OrNull(Bool({ description: 'Details are shown to nobody else; null is the default' }))),
  projects_limit: Optional(Int32({ minimum: 0, description: 'Projects in the personal namespace at most' })),
  pronouns: text(50, 'Pronouns'),
  provider: text(255, 'Provider of external sign-in; with `extern_uid`'),
  public_email: text(255, 'Address that everybody sees: a confirmed one'),
  shared_runners_minutes_limit: Optional(OrNull(Int32({ minimum: 0, description: 'Minutes on shared runners' }))),
  skype: text(255, 'Skype name'),
  theme_id: Optional(Int32({ minimum: 1, description: 'Colours of the page' })),
  twitter: text(500, 'X (Twitter) name'),
  view_diffs_file_by_file: Optional(Bool({ description: 'Shows one file of a change at a time' })),
  website_url: text(500, 'Web site: an http or https URL'),
} as const satisfies Record<string, TSchema>;

export type AttributeName = keyof typeof attributeParameters;

interface Attribute {
  /** The column of `users`, or what else keeps it. */
  readonly stored: keyof User | { readonly elsewhere: string };
  /** The smallest view that shows it: everybody's profile, the user's own account, the administrators'; null: none. */
  readonly returned: 'profile' | 'account' | 'administration' | null;
  /** The key of the answer, where it has another name. */
  readonly as?: string;
  /** What changes besides that it is shown; null: nothing. */
  readonly effect: string | null;
  /** The test that proves the effect, by its file. */
  readonly test?: string;
  /** A value other than the default, for the test of storing and returning. */
  readonly sample?: string | number | boolean;
}

const shown = (stored: keyof User, sample: Attribute['sample'], returned: Attribute['returned'] = 'profile') =>
  ({ stored, returned, effect: null, ...(sample === undefined ? {} : { sample }) }) satisfies Attribute;

/** What becomes of each attribute. */
export const userAttributes: Readonly<Record<AttributeName, Attribute>> = {
  admin: {
    stored: 'admin',
    returned: 'administration',
    as: 'is_admin',
    effect: 'administers the instance',
    test: 'identity/users/editing.test.ts',
    sample: true,
  },
  auditor: { ...shown('auditor', true, 'administration'), as: 'is_auditor' },
  avatar: {
    stored: 'avatar_object_key',
    returned: 'profile',
    as: 'avatar_url',
    effect: 'the picture is served',
    test: 'identity/avatars/avatars.test.ts',
  },
  bio: shown('bio', 'Writes'),
  can_create_group: {
    stored: 'can_create_group',
    returned: 'account',
    effect: 'may create top-level groups',
    test: 'namespaces/groups/groups.test.ts',
    sample: false,
  },
  color_scheme_id: shown('color_scheme_id', 4, 'account'),
  commit_email: {
    stored: 'commit_email',
    returned: 'account',
    effect: 'the address in commits that the server makes',
    test: 'identity/users/editing.test.ts',
    sample: '_private',
  },
  discord: shown('discord', '123456789012345678'),
  extern_uid: {
    stored: { elsewhere: 'identities' },
    returned: 'account',
    as: 'identities',
    effect: 'external sign-in finds the account by provider and this id alone',
    test: 'identity/users/editing.test.ts',
  },
  external: {
    stored: 'external',
    returned: 'account',
    effect: 'sees no internal projects and groups; makes no groups and projects of their own',
    test: 'identity/users/editing.test.ts',
    sample: true,
  },
  extra_shared_runners_minutes_limit: shown('extra_shared_runners_minutes_limit', 20, 'administration'),
  github: shown('github', 'octo'),
  job_title: {
    stored: 'job_title',
    returned: 'profile',
    effect: 'part of `work_information`',
    test: 'identity/users/users.test.ts',
    sample: 'Smith',
  },
  linkedin: shown('linkedin', 'linked'),
  location: shown('location', 'Leeds'),
  note: shown('note', 'A note', 'administration'),
  organization: {
    stored: 'organization',
    returned: 'profile',
    effect: 'part of `work_information`',
    test: 'identity/users/users.test.ts',
    sample: 'Acme',
  },
  private_profile: {
    stored: 'private_profile',
    returned: 'account',
    effect: 'details and followers are hidden from others',
    test: 'identity/users/users.test.ts',
    sample: true,
  },
  projects_limit: {
    stored: 'projects_limit',
    returned: 'account',
    effect: 'refuses further personal projects',
    test: 'namespaces/projects/projects.test.ts',
    sample: 7,
  },
  pronouns: shown('pronouns', 'they'),
  provider: {
    stored: { elsewhere: 'identities' },
    returned: 'account',
    as: 'identities',
    effect: 'with `extern_uid`',
    test: 'identity/users/editing.test.ts',
  },
  public_email: {
    stored: 'public_email',
    returned: 'profile',
    effect: 'found by a search for the address; the picture of `/avatar`',
    test: 'identity/users/users.test.ts',
  },
  shared_runners_minutes_limit: shown('shared_runners_minutes_limit', 10, 'administration'),
  skype: shown('skype', 'skyper'),
  theme_id: shown('theme_id', 5, 'account'),
  twitter: shown('twitter', 'bird'),
  view_diffs_file_by_file: shown('view_diffs_file_by_file', true, null),
  website_url: shown('website_url', 'https://example.com/me'),
};
