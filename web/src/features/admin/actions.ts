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
    effect: 'The person can sign in, and is told by mail.',
    offered: isOneOf('blocked_pending_approval'),
    run: (id) => unwrap(client.POST('/users/{id}/approve', at(id))),
  },
  reject: {
    label: 'Reject',
    effect: 'The account is removed, and the person is told by mail.',
    danger: true,
    removes: true,
    offered: isOneOf('blocked_pending_approval'),
    run: (id) => unwrap(client.POST('/users/{id}/reject', at(id))),
  },
  unlock: {
    label: 'Unlock',
    effect: 'The person can try to sign in again at once.',
    offered: ({ locked }) => locked === true,
    run: (id) => unwrap(client.POST('/users/{id}/unlock', at(id))),
  },
  unblock: {
    label: 'Unblock',
    effect: 'The person can sign in again.',
    offered: isOneOf('blocked'),
    run: (id) => unwrap(client.POST('/users/{id}/unblock', at(id))),
  },
  unban: {
    label: 'Lift the ban',
    effect: 'The person can sign in again.',
    offered: isOneOf('banned'),
    run: (id) => unwrap(client.POST('/users/{id}/unban', at(id))),
  },
  activate: {
    label: 'Activate',
    effect: 'The person can sign in again.',
    offered: isOneOf('deactivated'),
    run: (id) => unwrap(client.POST('/users/{id}/activate', at(id))),
  },
  promote: {
    label: 'Make administrator',
    effect: 'The person sees and may change everything on this instance.',
    offered: (user, own) => !own && user.state === 'active' && user.is_admin === false && !user.bot,
    run: (id) => unwrap(client.PUT('/users/{id}', { ...at(id), body: { admin: true } })),
  },
  demote: {
    label: 'Remove administrator',
    effect: 'The person loses the rights of an administrator at once.',
    offered: (user, own) => !own && user.is_admin === true,
    run: (id) => unwrap(client.PUT('/users/{id}', { ...at(id), body: { admin: false } })),
  },
  sendReset: {
    label: 'Send a link for a new password',
    effect: 'A message goes to the address of the account. Its link works for two days and once.',
    offered: (user, own) => !own && !user.bot && (user.state === 'active' || user.state === 'deactivated'),
    run: (id) => unwrap(client.POST('/users/{id}/password_reset', at(id))),
  },
  disableTwoFactor: {
    label: 'Disable two-factor authentication',
    effect: 'Applications, security keys and recovery codes are removed: the password alone opens the account again.',
    danger: true,
    // Second factors of an administrator are that person's own matter.
    offered: (user) => user.two_factor_enabled === true && user.is_admin !== true,
    run: (id) => unwrap(client.PATCH('/users/{id}/disable_two_factor', at(id))),
  },
  deactivate: {
    label: 'Deactivate',
    effect:
      'Sessions and tokens end. The account comes back when the person signs in. Only for those who were long away.',
    offered: other('active'),
    run: (id) => unwrap(client.POST('/users/{id}/deactivate', at(id))),
  },
  block: {
    label: 'Block',
    effect: 'Sessions and tokens end at once; the person cannot sign in until an administrator unblocks the account.',
    danger: true,
    offered: other('active', 'deactivated'),
    run: (id) => unwrap(client.POST('/users/{id}/block', at(id))),
  },
  ban: {
    label: 'Ban',
    effect: 'As blocked, for somebody who did harm.',
    danger: true,
    offered: other('active'),
    run: (id) => unwrap(client.POST('/users/{id}/ban', at(id))),
  },
} as const satisfies Readonly<Record<string, Action>>;

/** What may be done with this account now. */
export const offeredActions = (user: User, own: boolean): readonly Action[] =>
  Object.values<Action>(actions).filter((action) => action.offered(user, own));
