/**
 * The lists around pipelines as one row of links, below the project's own. It belongs to the project's header, so that it
 * stays where it is while the next list loads.
 */
import { Link, useMatches } from '@tanstack/react-router';
import { TabRow } from '../../ui/TabRow.tsx';
import { level, useProject } from '../projects/useProject.ts';
import classes from './pipeline-tabs.module.css';

/** Routes of the lists, the last ones for those who may change flags and the configuration. */
const lists = [
  ['/p/$path/pipelines', 'Pipelines'],
  ['/p/$path/jobs', 'Jobs'],
  ['/p/$path/pipeline_schedules', 'Schedules'],
  ['/p/$path/environments', 'Environments'],
  ['/p/$path/pipelines/tests', 'Tests'],
  ['/p/$path/pipelines/charts', 'Charts'],
  ['/p/$path/packages', 'Packages'],
  ['/p/$path/feature_flags', 'Feature flags'],
  ['/p/$path/ci/editor', 'Editor'],
] as const;
const exact = { exact: true, includeSearch: false } as const;

export function PipelineTabs() {
  const { segment, level: own } = useProject();
  // Of the page that is shown, or of the one whose skeleton is.
  const route = useMatches({ select: (matches) => matches.at(-1)?.routeId });
  if (!lists.some(([to]) => to === route)) return null;
  return (
    <TabRow label="Pipelines and jobs" className={classes.row}>
      {lists.slice(0, own >= level.developer ? undefined : -2).map(([to, label]) => (
        <Link key={to} to={to} params={{ path: segment }} activeOptions={exact}>
          {label}
        </Link>
      ))}
    </TabRow>
  );
}
