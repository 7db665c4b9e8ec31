/** Sends the message that asks for a confirmation again. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client, unwrap } from '../../lib/api.ts';

interface ResendProps {
  /** Whether there is something to confirm. */
  readonly pending: boolean;
  readonly email: string;
  /** Of an address besides the primary one. */
  readonly id?: number;
}

export function Resend({ pending, email, id }: ResendProps) {
  const send = useMutation({
    mutationFn: () =>
      id === undefined
        ? unwrap(client.POST('/user/confirmation'))
        : unwrap(client.POST('/user/emails/{email_id}/confirmation', { params: { path: { email_id: id } } })),
  });
  if (!pending) return null;
  return (
    <>
      <output>{send.isSuccess ? 'Sent.' : (send.error?.message ?? '')}</output>
      <Button
        size="xs"
        variant="default"
        aria-label={`Send the message for ${email} again`}
        loading={send.isPending}
        onClick={() => send.mutate()}
      >
        Send again
      </Button>
    </>
  );
}
