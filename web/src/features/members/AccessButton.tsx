/** Asking to become a member of a project or group, for those who only see it. */
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { client, unwrap } from '../../lib/api.ts';
import { sessionQuery } from '../../lib/session.ts';

interface Props {
  readonly noun: 'project' | 'group';
  readonly path: string;
  /** Whether the place takes requests. */
  readonly offered: boolean;
}

export function AccessButton({ noun, path, offered }: Props) {
  const { data: session } = useQuery(sessionQuery);
  const params = { params: { path: { id: path } } };
  const ask = useMutation({
    mutationFn: () =>
      unwrap(
        noun === 'group'
          ? client.POST('/groups/{id}/access_requests', params)
          : client.POST('/projects/{id}/access_requests', params),
      ),
  });
  if (!session?.user || !offered) return null;
  return (
    <Button
      size="xs"
      variant="default"
      title={ask.error?.message ?? `Sent to those who manage the members of the ${noun}`}
      loading={ask.isPending}
      disabled={ask.isSuccess}
      onClick={() => ask.mutate()}
    >
      {ask.isSuccess ? 'Access requested' : ask.error ? 'Not requested' : 'Request access'}
    </Button>
  );
}
