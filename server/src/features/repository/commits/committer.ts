/** Who a commit made by the product is by. */
import type { Person } from '@millrace/git';
import type { CallerUser } from '../../../kernel/authz/subjects.ts';

/** The person at this moment, with the address that they chose for commits. */
export const committerOf = (user: CallerUser): Person => ({
  name: user.name,
  email: user.commit_email ?? user.email,
  seconds: Math.floor(Date.now() / 1000),
});
