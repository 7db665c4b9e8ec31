/** What is special about an account, in words. */
import { Badge } from '@mantine/core';
import type { Schemas } from '../../lib/api.ts';
import { stateWord } from './states.ts';

export function Marks({ user }: { user: Schemas['UserView'] }) {
  const marks = [
    user.state === 'active' ? null : stateWord(user.state),
    user.locked ? 'Locked' : null,
    user.confirmed_at === null && user.state === 'active' ? 'Address not confirmed' : null,
    user.is_admin ? 'Administrator' : null,
    user.is_auditor ? 'Auditor' : null,
    user.external ? 'External' : null,
    user.bot ? 'Bot' : null,
    user.two_factor_enabled ? 'Two-factor' : null,
  ];
  return marks
    .filter((mark) => mark !== null)
    .map((mark) => (
      <Badge key={mark} size="sm" variant="default">
        {mark}
      </Badge>
    ));
}
