/** Asks before a token is revoked, because whatever uses it stops at once. */
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import type { Confirmed } from '../../ui/confirmed.ts';

interface Props {
  /** What kind of token, in words. */
  readonly kind: 'token' | 'deploy token';
  /** What then no longer works. */
  readonly text: string;
  /** The one in question. */
  readonly leaving: Pick<Confirmed<{ readonly name: string }>, 'asked' | 'dialog'>;
}

export function RevokeToken({ kind, text, leaving: { asked, dialog } }: Props) {
  return (
    <ConfirmName {...dialog} title={`Revoke ${kind}`} text={text} name={asked?.name ?? ''} action={`Revoke ${kind}`} />
  );
}
