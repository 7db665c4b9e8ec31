/** What external status checks said of the head of a merge request; a failed one can be asked again. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { statusChecksOf } from '../../lib/status-checks.ts';
import { FormError } from '../../ui/FormError.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { level as levels, useProject } from '../projects/useProject.ts';

const badge = { passed: 'success', failed: 'failed', pending: 'pending' } as const;

interface Props {
  readonly request: Schemas['MergeRequestDetail'];
  readonly className: string | undefined;
}

export function CheckRows({ request, className }: Props) {
  const { path, level } = useProject();
  const cache = useQueryClient();
  const told = level >= levels.developer && request.counts?.status_checks !== 0;
  const { data: checks } = useQuery({ ...statusChecksOf(path, request.iid, request.sha), enabled: told });
  const again = useMutation({
    mutationFn: (external_status_check_id: number) =>
      unwrap(
        client.POST(
          '/projects/{id}/merge_requests/{merge_request_iid}/status_checks/{external_status_check_id}/retry',
          {
            params: { path: { id: path, merge_request_iid: request.iid, external_status_check_id } },
          },
        ),
      ),
    onSettled: () => cache.invalidateQueries({ queryKey: ['project', path, 'merge-request', request.iid] }),
  });
  return (
    <>
      {(checks ?? []).map((check) => (
        <div key={check.id} className={className}>
          <StatusBadge status={badge[check.status]} />
          <span>{check.name}</span>
          {check.status === 'failed' ? (
            <Button size="xs" variant="default" loading={again.isPending} onClick={() => again.mutate(check.id)}>
              Ask {check.name} again
            </Button>
          ) : null}
        </div>
      ))}
      <FormError error={again.error} />
    </>
  );
}
