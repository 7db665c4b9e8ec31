/** JSON of what users should know about how this instance is set up. */
import { Count, Entity, Fields, Flag, ListOf, Nullable, Text, Word } from '../../../kernel/http/entity.ts';

const hostKey = Fields({
  type: Text({ description: '`ssh-ed25519` or `ecdsa-sha2-nistp256`' }),
  bits: Count(),
  fingerprint_sha256: Text({ description: 'As clients show it: `SHA256:...`' }),
  key: Text({ description: 'Type and key, as in `known_hosts` after the name of the host' }),
});

const ssh = Fields({
  user: Text({ description: 'The only username there is' }),
  host: Text(),
  port: Count(),
  host_keys: ListOf(hostKey),
});

const keyKind = Fields({
  kind: Text({ description: '`rsa`, `dsa`, `ecdsa`, `ed25519`, `ecdsa_sk` or `ed25519_sk`' }),
  allowed: Flag(),
  minimum_bits: Nullable(Count({ description: 'Null where every size is taken' })),
});

const throttle = Fields({
  name: Text({ description: 'What is counted, as in the settings: `throttle_NAME_enabled`' }),
  requests: Count({ description: 'How many are answered in a period' }),
  period: Count({ description: 'Seconds' }),
});

export const InstanceConfiguration = Entity('InstanceConfiguration', {
  ssh: Nullable(ssh, { description: 'git over SSH; null where this instance does not serve or allow it' }),
  git_protocols: ListOf(Word(['http', 'ssh']), {
    description: 'What git may be used over; top-level groups may leave less',
  }),
  ssh_keys: ListOf(keyKind, { description: 'Which keys users may add' }),
  limits: Fields({
    attachment_bytes: Count({ description: 'One file in a text' }),
    avatar_bytes: Count({ description: 'One picture of a person, group or project' }),
    artifacts_bytes: Count({ description: 'The artifacts of one job; groups and projects may set another' }),
    ci_file_bytes: Count({ description: 'One file of a CI/CD configuration' }),
    ci_configuration_bytes: Count({ description: 'A CI/CD configuration with all that it includes' }),
    ci_includes: Count({ description: 'Files that a CI/CD configuration includes' }),
    personal_projects: Count({ description: 'Projects in the personal namespace of a new account' }),
    access_token_days: Nullable(Count({ description: 'Longest life of an access token' })),
    ssh_key_days: Nullable(Count({ description: 'Longest life of an SSH key; null for any' })),
    ssh_operations: Nullable(
      Count({ description: 'git operations over SSH of one person in one project in a minute; null for any' }),
    ),
  }),
  search: Fields({
    anonymous: Flag({ description: 'Whether it needs no account' }),
    scopes: ListOf(Text(), { description: 'What is looked for everywhere' }),
    default_scope: Nullable(Text({ description: 'Where it begins; null for the first one' })),
  }),
  formulas: Fields(
    {
      limited: Flag({ description: 'Whether number and size of formulas in documents are limited' }),
      locked: Flag({ description: 'Whether this also holds for groups that say otherwise' }),
    },
    { description: 'What holds for documents that belong to no group' },
  ),
  help: Fields({
    text_html: Text({ description: 'What administrators tell on the help page; empty where it is nothing' }),
    support_url: Nullable(Text({ description: 'Where users get support' })),
    documentation_url: Nullable(Text({ description: 'Where the documentation of the instance is' })),
  }),
  guidelines: Fields(
    {
      new_project_html: Text({ description: 'Where projects are created' }),
      members_html: Text({ description: 'For those who manage the members of a group or project' }),
      profile_image_html: Text({ description: 'Where people choose their avatar' }),
    },
    { description: 'What administrators tell on single pages; empty where it is nothing' },
  ),
  ci: Fields({
    protected_variables: Flag({
      description: 'Whether new CI/CD variables are protected unless somebody decides otherwise',
    }),
    runners_text_html: Text({
      description: 'What administrators say about instance runners; empty where it is nothing',
    }),
  }),
  first_day_of_week: Count({ description: '0 for Sunday, 1 for Monday, 6 for Saturday' }),
  throttles: ListOf(throttle, { description: 'Limits of requests that are switched on' }),
});
