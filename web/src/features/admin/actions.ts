/** What administrators do with an account, by its state: the words, and the call. */
import { client, type Schemas, unwrap } from '../../lib/api.ts';

type User = Schemas['UserView'];

export interface Action {
  readonly label: string;
  /** What happens; asked for before it does. */
  readonly effect: string;
  readonly danger?: boolean;
  /** The account is gone afterwards. */
  readonly removes?: boolean;
  readonly offered: (user: User, own: boolean) => boolean;
  readonly run: (id: number) => Promise<unknown>;
}

const at = (id: number) => ({ params: { path: { id } } });
const isOneOf =
  (...states: string[]) =>
  ({ state }: User) =>
    states.includes(state);
const other =
  (...states: string[]) =>
  (user: User, own: boolean) =>
    !own && states.includes(user.state);

const actions = {
  approve: {
    label: 'Approve',
    effect: 'The user will be able to sign in, and is notified by email.',
    offered: isOneOf('blocked_pending_approval'),
    run: (id) => unwrap(client.POST('/users/{id}/approve', at(id))),
  },
  reject: {
    label: 'Reject',
    effect: 'The account will be deleted, and the user is notified by email.',
    danger: true,
    removes: true,
    offered: isOneOf('blocked_pending_approval'),
    run: (id) => unwrap(client.POST('/users/{id}/reject', at(id))),
  },
  unlock: {
    label: 'Unlock',
    effect: 'The user can sign in again immediately.',
    offered: ({ locked }) => locked === true,
    run: (id) => unwrap(client.POST('/users/{id}/unlock', at(id))),
  },
  unblock: {
    label: 'Unblock',
    effect: 'The user will be able to sign in again.',
    offered: isOneOf('blocked'),
    run: (id) => unwrap(client.POST('/users/{id}/unblock', at(id))),
  },
  unban: {
    label: 'Unban',
    effect: 'The user will be able to sign in again.',
    offered: isOneOf('banned'),
    run: (id) => unwrap(client.POST('/users/{id}/unban', at(id))),
  },
  activate: {
    label: 'Activate',
    effect: 'The user will be able to sign in again.',
    offered: isOneOf('deactivated'),
    run: (id) => unwrap(client.POST('/users/{id}/activate', at(id))),
  },
  promote: {
    label: 'Make administrator',
    effect: 'The user will have full access to this instance.',
    offered: (user, own) => !own && user.state === 'active' && user.is_admin === false && !user.bot,
    run: (id) => unwrap(client.PUT('/users/{id}', { ...at(id), body: { admin: true } })),
  },
  demote: {
    label: 'Remove administrator',
    effect: 'The user will lose administrator access immediately.',
    offered: (user, own) => !own && user.is_admin === true,
    run: (id) => unwrap(client.PUT('/users/{id}', { ...at(id), body: { admin: false } })),
  },
  sendReset: {
    label: 'Send password reset link',
    effect: 'The link is sent to the email address of the account. It works once, for two days.',
    offered: (user, own) => !own && !user.bot && (user.state === 'active' || user.state === 'deactivated'),
    run: (id) => unwrap(client.POST('/users/{id}/password_reset', at(id))),
  },
  disableTwoFactor: {
    label: 'Disable two-factor authentication',
    effect:
      'Authenticator applications, security keys and recovery codes will be removed. The user can sign in with a password alone.',
    danger: true,
    // Second factors of an administrator are that person's own matter.
    offered: (user) => user.two_factor_enabled === true && user.is_admin !== true,
    run: (id) => unwrap(client.PATCH('/users/{id}/disable_two_factor', at(id))),
  },
  deactivate: {
    label: 'Deactivate',
    effect:
      'Ends sessions and tokens. The account is reactivated at the next sign-in. Only for users who have been inactive for a long time.',
    offered: other('active'),
    run: (id) => unwrap(client.POST('/users/{id}/deactivate', at(id))),
  },
  block: {
    label: 'Block',
    effect:
      'Ends sessions and tokens immediately. The user cannot sign in until an administrator unblocks the account.',
    danger: true,
    offered: other('active', 'deactivated'),
    run: (id) => unwrap(client.POST('/users/{id}/block', at(id))),
  },
  ban: {
    label: 'Ban',
    effect: 'Blocks the user for abuse.',
    danger: true,
    offered: other('active'),
    run: (id) => unwrap(client.POST('/users/{id}/ban', at(id))),
  },
} as const satisfies Readonly<Record<string, Action>>;

/** What may be done with this account now. */
export const offeredActions = (user: User, own: boolean): readonly Action[] =>
  Object.values<Action>(actions).filter((action) => action.offered(user, own));
