/** What a pipeline runs for: a branch or tag, or a merge request, which is a link. */
import { Link } from '@tanstack/react-router';
import { RefBadge, requestOf } from '../../ui/RefBadge.tsx';

interface Props {
  readonly name: string;
  readonly tag: boolean;
  /** Of the project, in addresses of the router. */
  readonly segment: string;
}

export function RefLink({ name, tag, segment }: Props) {
  const iid = requestOf(name);
  const badge = <RefBadge name={name} kind={tag ? 'tag' : 'branch'} />;
  return iid === undefined ? (
    badge
  ) : (
    <Link to="/p/$path/merge_requests/$iid" params={{ path: segment, iid }} aria-label={`Merge request !${iid}`}>
      {badge}
    </Link>
  );
}
