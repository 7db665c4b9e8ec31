/** Where a commit is: branches and tags that have it. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { refsWith } from '../../lib/history.ts';
import { useProject } from '../projects/useProject.ts';

/** More than these say nothing. */
const most = 5;

export function CommitRefs({ sha }: { sha: string }) {
  const { path, segment } = useProject();
  const { data } = useQuery(refsWith(path, sha));
  if (!data || data.items.length === 0) return null;
  const more = data.items.length - most;
  return (
    <span>
      in{' '}
      {data.items.slice(0, most).map(({ type, name }, index) => (
        <span key={`${type} ${name}`}>
          {index > 0 ? ', ' : ''}
          {type === 'tag' ? 'tag ' : ''}
          <Link to="/p/$path/tree/$" params={{ path: segment, _splat: name }} style={{ textDecoration: 'underline' }}>
            {name}
          </Link>
        </span>
      ))}
      {more > 0 ? ` and ${data.nextPage ? 'many' : more} more` : ''}
    </span>
  );
}
