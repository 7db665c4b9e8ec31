/** Whether the signature of a commit is worth something, in a word with its reason. */
import { IconCircleDashed, IconRosetteDiscountCheck } from '@tabler/icons-react';
import type { Schemas } from '../../lib/api.ts';
import classes from './commits.module.css';

type Status = NonNullable<Schemas['CommitDetail']['signature_status']>;

const reasons: Readonly<Record<Status, string>> = {
  verified: 'Signed with a key of the committer, whose email address is verified',
  verified_system: 'Created and signed by this instance',
  unverified: 'The signature is invalid, or the email address of the committer is not verified',
  unverified_key: 'No email address of the key is verified',
  unknown_key: 'The signing key does not belong to any user',
  other_user: 'The key does not belong to the committer',
  same_user_different_email: 'The key belongs to the committer, but for another email address',
  multiple_signatures: 'Multiple signatures',
};

export function SignatureBadge({ status }: { status: Status }) {
  const good = status === 'verified' || status === 'verified_system';
  const Icon = good ? IconRosetteDiscountCheck : IconCircleDashed;
  return (
    <span className={classes.signature} data-good={good} title={reasons[status]}>
      <Icon size={16} aria-hidden />
      {good ? 'Verified' : 'Unverified'}
      <span className={classes.reason}>: {reasons[status]}</span>
    </span>
  );
}
