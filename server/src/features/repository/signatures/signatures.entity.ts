/** Signatures of commits and tags as the API shows them: which attributes there are depends on the kind. */
import { Entity, Id, Nullable, Sometimes, Text, Word } from '../../../kernel/http/entity.ts';
import { SshKeyEntity } from '../../identity/index.ts';

export const verificationStatuses = [
  'verified',
  'verified_system',
  'unverified',
  'unverified_key',
  'unknown_key',
  'other_user',
  'same_user_different_email',
  'multiple_signatures',
] as const;
export type VerificationStatus = (typeof verificationStatuses)[number];

export const CommitSignature = Entity('CommitSignature', {
  signature_type: Word(['PGP', 'SSH', 'X509'], { description: 'What it was signed with' }),
  verification_status: Word(verificationStatuses, {
    description:
      '`verified`: by a key of the committer, whose address is confirmed. `verified_system`: by this instance. `other_user`: by a key of somebody else. X.509 is told and not verified',
  }),
  key: Sometimes(Nullable(SshKeyEntity, { description: 'Of SSH: the key, where somebody has it' })),
  gpg_key_id: Sometimes(Nullable(Id({ description: 'Of PGP: id of the key, where somebody has it' }))),
  gpg_key_primary_keyid: Sometimes(Nullable(Text())),
  gpg_key_user_name: Sometimes(Nullable(Text())),
  gpg_key_user_email: Sometimes(Nullable(Text())),
  gpg_key_subkey_id: Sometimes(Nullable(Id({ description: 'Subkeys have no ids of their own here: always null' }))),
  commit_source: Sometimes(Text({ description: 'Always `gitaly`, as in the ecosystem' })),
});

export const WebCommitsKey = Entity('WebCommitsKey', {
  public_key: Text({ description: 'The public SSH key that commits made by this instance are signed with' }),
});
