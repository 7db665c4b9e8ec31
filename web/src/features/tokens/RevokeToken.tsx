/** Asks before a token is revoked, because whatever uses it stops at once. */
import { useMutation } from '@tanstack/react-query';
import { ConfirmName } from '../../ui/ConfirmName.tsx';

interface Props {
  /** What kind of token, in words. */
  readonly kind: 'token' | 'deploy token';
  /** What then no longer works. */
  readonly text: string;
  /** The one in question; null while there is none. */
  readonly token: { readonly id: number; readonly name: string } | null;
  revoke(id: number): Promise<unknown>;
  close(): void;
  /** The list has changed. */
  revoked(): Promise<unknown>;
}

export function RevokeToken({ kind, text, token, revoke, close, revoked }: Props) {
  const sending = useMutation({
    mutationFn: revoke,
    async onSuccess() {
      close();
      await revoked();
    },
  });
  return (
    <ConfirmName
      opened={token !== null}
      title={`Revoke ${kind}`}
      text={text}
      name={token?.name ?? ''}
      action={`Revoke ${kind}`}
      pending={sending.isPending}
      error={sending.error}
      close={close}
      confirm={() => token && sending.mutate(token.id)}
    />
  );
}
