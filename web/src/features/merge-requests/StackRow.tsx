/** The stack that a merge request is in: those below it and on top of it. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../lib/api.ts';
import { stackOf } from '../../lib/merge-request-people.ts';
import { addStack } from '../../lib/merge-trains.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './merge-requests.module.css';

/** Adds the request and those below it to the merge train, where there is one below and the project has trains. */
function AddStack({ request, below }: { request: Schemas['MergeRequestDetail']; below: boolean }) {
  const { path, project } = useProject();
  const cache = useQueryClient();
  const adding = useMutation({
    mutationFn: () => addStack(path, request.iid, request.sha),
    onSuccess: () => cache.invalidateQueries({ queryKey: ['project', path] }),
  });
  if (!below || !project.merge_trains_enabled || !request.user.can_merge || request.merge_when_pipeline_succeeds)
    return null;
  return (
    <>
      <FormError error={adding.error} />
      <Button size="xs" variant="default" loading={adding.isPending} onClick={() => adding.mutate()}>
        Add stack to merge train
      </Button>
    </>
  );
}

export function StackRow({ request }: { request: Schemas['MergeRequestDetail'] }) {
  const { iid } = request;
  const { path, segment } = useProject();
  const { data: stack = [] } = useQuery({ ...stackOf(path, iid), enabled: request.counts?.stacked !== 0 });
  if (stack.length < 2) return null;
  return (
    <nav aria-label="Stack" className={classes.stack}>
      <h3>Stack of {stack.length} merge requests</h3>
      <ol>
        {stack.map((each) => (
          <li key={each.id} aria-current={each.iid === iid ? 'true' : undefined}>
            {each.iid === iid ? (
              <strong>{each.title}</strong>
            ) : (
              <Link to="/p/$path/merge_requests/$iid" params={{ path: segment, iid: String(each.iid) }}>
                {each.title}
              </Link>
            )}{' '}
            <span className={classes.dim}>
              !{each.iid} into {each.target_branch}
            </span>
          </li>
        ))}
      </ol>
      <AddStack request={request} below={stack[0]?.iid !== iid} />
    </nav>
  );
}
