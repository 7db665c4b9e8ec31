/** The lists around pipelines as one row of links, on top of each of them. */
import { Link } from '@tanstack/react-router';
import { TabRow } from '../../ui/TabRow.tsx';
import { level, useProject } from '../projects/useProject.ts';
import classes from './pipelines.module.css';

export function PipelineTabs() {
  const { segment, level: own } = useProject();
  const params = { path: segment };
  return (
    <TabRow label="Pipelines and jobs" className={classes.tabs}>
      <Link to="/p/$path/pipelines" params={params} activeOptions={{ exact: true, includeSearch: false }}>
        Pipelines
      </Link>
      <Link to="/p/$path/jobs" params={params} activeOptions={{ exact: true, includeSearch: false }}>
        Jobs
      </Link>
      <Link to="/p/$path/pipeline_schedules" params={params} activeOptions={{ includeSearch: false }}>
        Schedules
      </Link>
      <Link to="/p/$path/environments" params={params} activeOptions={{ includeSearch: false }}>
        Environments
      </Link>
      <Link to="/p/$path/pipelines/tests" params={params} activeOptions={{ includeSearch: false }}>
        Tests
      </Link>
      <Link to="/p/$path/pipelines/charts" params={params} activeOptions={{ includeSearch: false }}>
        Charts
      </Link>
      {own >= level.developer ? (
        <Link to="/p/$path/ci/editor" params={params} activeOptions={{ includeSearch: false }}>
          Editor
        </Link>
      ) : null}
    </TabRow>
  );
}
