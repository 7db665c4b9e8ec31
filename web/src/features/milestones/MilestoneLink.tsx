/** Links to milestones, at the addresses of projects or of groups. */
import { Link } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import type { Milestone } from '../../lib/planning.ts';
import { toSegment } from '../../lib/urls.ts';
import { useProject } from '../projects/useProject.ts';
import type { MilestonesInView } from './useMilestones.ts';

type Place = Pick<MilestonesInView, 'kind' | 'segment'>;

export const listTarget = ({ kind, segment }: Place) => ({
  to: kind === 'project' ? ('/p/$path/milestones' as const) : ('/g/$path/milestones' as const),
  params: { path: segment },
});
export const newTarget = ({ kind, segment }: Place) => ({
  to: kind === 'project' ? ('/p/$path/milestones/new' as const) : ('/g/$path/milestones/new' as const),
  params: { path: segment },
});
export const oneTarget = ({ kind, segment }: Place, iid: number) => ({
  to: kind === 'project' ? ('/p/$path/milestones/$iid' as const) : ('/g/$path/milestones/$iid' as const),
  params: { path: segment, iid: String(iid) },
});

/** Where a milestone is: seen from a project or group it may belong to a group above. */
function placeOf(milestone: Pick<Milestone, 'web_url' | 'project_id'>, seen: Place): Place {
  if (milestone.project_id !== undefined) return seen;
  const [, group] = /\/groups\/(.+)\/-\/milestones\/\d+$/.exec(milestone.web_url) ?? [];
  return group === undefined ? seen : { kind: 'group', segment: toSegment(decodeURI(group)) };
}

type Named = Pick<Milestone, 'iid' | 'title' | 'project_id' | 'web_url'>;
type Rest = Pick<ComponentProps<typeof Link>, 'className'>;

export function MilestoneLink({ milestone, seen, ...rest }: { milestone: Named; seen: Place } & Rest) {
  return (
    <Link {...oneTarget(placeOf(milestone, seen), milestone.iid)} data-entry {...rest}>
      {milestone.title}
    </Link>
  );
}

/** The same on the pages of a project. */
export function ProjectMilestoneLink({ milestone, ...rest }: { milestone: Named } & Rest) {
  const { segment } = useProject();
  return <MilestoneLink milestone={milestone} seen={{ kind: 'project', segment }} {...rest} />;
}
