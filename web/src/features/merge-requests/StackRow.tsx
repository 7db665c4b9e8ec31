/** The stack that a merge request is in: those below it and on top of it. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { stackOf } from '../../lib/merge-request-people.ts';
import { useProject } from '../projects/useProject.ts';
import classes from './merge-requests.module.css';

export function StackRow({ iid }: { iid: number }) {
  const { path, segment } = useProject();
  const { data: stack = [] } = useQuery(stackOf(path, iid));
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
    </nav>
  );
}
