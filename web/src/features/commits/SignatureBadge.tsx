/** Whether the signature of a commit is worth something, in a word with its reason. */
import { IconCircleDashed, IconRosetteDiscountCheck } from '@tabler/icons-react';
import type { Schemas } from '../../lib/api.ts';
import classes from './commits.module.css';

type Status = NonNullable<Schemas['CommitDetail']['signature_status']>;

const reasons: Readonly<Record<Status, string>> = {
  verified: 'Signed with a key of the committer, whose address is confirmed',
  verified_system: 'Made and signed by this instance',
  unverified: 'The signature does not fit, or the address of the committer is not confirmed',
  unverified_key: 'No address of the key is confirmed',
  unknown_key: 'Nobody here has the key that it is signed with',
  other_user: 'The key is not of the committer',
  same_user_different_email: 'The key is of the committer, for another address',
  multiple_signatures: 'Signed more than once',
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
