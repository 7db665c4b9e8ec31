/** A link to the page of a runner, where its list is. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RunnerPlace } from '../../lib/runners.ts';
import { toSegment } from '../../lib/urls.ts';

export function RunnerLink({ place, id, children }: { place: RunnerPlace; id: number; children: ReactNode }) {
  if (place.kind === 'instance')
    return (
      <Link to="/admin/runners/$id" params={{ id: String(id) }} data-entry>
        {children}
      </Link>
    );
  const params = { path: toSegment(place.path), id: String(id) };
  return place.kind === 'group' ? (
    <Link to="/g/$path/runners/$id" params={params} data-entry>
      {children}
    </Link>
  ) : (
    <Link to="/p/$path/runners/$id" params={params} data-entry>
      {children}
    </Link>
  );
}
