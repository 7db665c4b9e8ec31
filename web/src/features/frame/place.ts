/** The project or group that the shown page belongs to. */
import type { RouterState } from '@tanstack/react-router';
import * as data from '../../lib/data.ts';
import { queries } from '../../lib/queries.ts';
import { fromSegment } from '../../lib/urls.ts';

export type Kind = 'project' | 'group';

const isKnown = (kind: Kind, path: string): boolean =>
  queries.getQueryData((kind === 'project' ? data.project(path) : data.group(path)).queryKey) !== undefined;

/** By their routes; an address of names only can be that of either. */
const kinds: Readonly<Record<string, readonly Kind[]>> = {
  '/p/$path': ['project'],
  '/g/$path': ['group'],
  '/o/$path': ['project', 'group'],
};

/**
 * What is shown, not where the address leads: until the next page is ready, the one before it keeps its own header. There is
 * none before the project or group has arrived, nor where it cannot be opened.
 */
export function placeOf([, match]: RouterState['matches']): `${Kind}/${string}` | null {
  if (!match || match.status === 'error' || match.status === 'notFound') return null;
  const { path: segment } = match.params as { path?: string };
  if (segment === undefined) return null;
  const kind = kinds[match.routeId]?.find((each) => isKnown(each, fromSegment(segment)));
  return kind ? `${kind}/${segment}` : null;
}
