/** A link to an epic, which may be one of another group. */
import { Link } from '@tanstack/react-router';
import { toSegment } from '../../lib/urls.ts';

interface Props {
  readonly epic: { readonly iid: number; readonly title: string; readonly references: { readonly full: string } };
}

export function EpicLink({ epic }: Props) {
  const path = toSegment(epic.references.full.replace(/&\d+$/, ''));
  return (
    <Link to="/g/$path/epics/$iid" params={{ path, iid: String(epic.iid) }} data-entry>
      {epic.title}
    </Link>
  );
}
