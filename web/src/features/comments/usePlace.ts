/** The project or group whose page has comments, and what the person who looks may do there. */
import { useQuery } from '@tanstack/react-query';
import { useMatch, useParams } from '@tanstack/react-router';
import * as data from '../../lib/data.ts';
import { groupLevel } from '../../lib/groups.ts';
import { sessionQuery } from '../../lib/session.ts';
import { fromSegment } from '../../lib/urls.ts';
import { levelIn } from '../projects/useProject.ts';

interface CommentPlace {
  readonly kind: 'project' | 'group';
  readonly path: string;
  readonly level: number;
  /** Nothing changes there any more. */
  readonly archived: boolean;
}

/** The route above the page has loaded the place. */
export function usePlace(): CommentPlace {
  const { path: segment = '' } = useParams({ strict: false });
  // Of the page that is shown: while the next one loads, the location is that one's already.
  const inGroup = useMatch({ strict: false, select: ({ routeId }) => String(routeId).startsWith('/g/') });
  const path = fromSegment(segment);
  const { data: project } = useQuery({ ...data.project(path), enabled: !inGroup });
  const { data: group } = useQuery({ ...data.group(path), enabled: inGroup });
  const { data: own = 0 } = useQuery({ ...groupLevel(path), enabled: inGroup });
  const { data: session } = useQuery(sessionQuery);
  return inGroup
    ? { kind: 'group', path, level: own, archived: group?.archived === true }
    : {
        ...{ kind: 'project', path },
        level: project ? levelIn(project, session?.user) : 0,
        archived: project?.archived === true,
      };
}
