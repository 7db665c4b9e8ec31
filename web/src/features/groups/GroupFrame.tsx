/** The header of a group: where it is, what can be made in it, and its one row of tabs. */
import { Avatar } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LinkButton } from '../../ui/links.ts';
import { TabRow, withCount } from '../../ui/TabRow.tsx';
import { AccessButton } from '../members/AccessButton.tsx';
import { Crumbs } from '../projects/Crumbs.tsx';
import classes from '../projects/projects.module.css';
import { featureIsOpen, level } from '../projects/useProject.ts';
import { Visibility } from '../projects/Visibility.tsx';
import groups from './groups.module.css';
import { useGroup } from './useGroupForm.ts';

export function GroupFrame({ children }: { children: ReactNode }) {
  const { group, path, segment, level: own } = useGroup();
  const inside = useLocation({ select: (location) => location.pathname }).split('/')[3] ?? '';
  const params = { path: segment };
  const current = (...names: string[]) => (names.includes(inside) ? ({ 'aria-current': 'page' } as const) : {});
  return (
    <>
      <div className={classes.header}>
        <div className={classes.object}>
          <span className={groups.name}>
            <Avatar
              src={group.avatar_url}
              name={group.name}
              size={24}
              radius="sm"
              alt=""
              color="race"
              variant="filled"
            />
            <Crumbs path={group.full_path} names={group.full_name.split(' / ')} />
          </span>
          <Visibility level={group.visibility} />
          <div className={classes.grow} />
          {own === 0 ? <AccessButton noun="group" path={path} offered={group.request_access_enabled} /> : null}
          {own >= level.developer ? (
            <div className={groups.makes}>
              <LinkButton to="/groups/new" search={{ parent_id: group.id }}>
                New subgroup
              </LinkButton>
              <LinkButton to="/projects/new" search={{ namespace_id: group.id }} variant="filled">
                New project
              </LinkButton>
            </div>
          ) : null}
        </div>
        <TabRow label="Group" className={classes.tabs}>
          <Link to="/g/$path" params={params} activeOptions={{ exact: true }} {...current('')}>
            Overview
          </Link>
          <Link to="/g/$path/issues" params={params} {...current('issues')}>
            {withCount('Issues', group.counts?.issues)}
          </Link>
          <Link to="/g/$path/merge_requests" params={params} {...current('merge_requests')}>
            {withCount('Merge requests', group.counts?.merge_requests)}
          </Link>
          <Link to="/g/$path/pipelines" params={params} {...current('pipelines')}>
            Pipelines
          </Link>
          {featureIsOpen(group.wiki_access_level, own) ? (
            <Link to="/g/$path/wikis/$" params={{ ...params, _splat: '' }} {...current('wikis')}>
              Wiki
            </Link>
          ) : null}
          <Link to="/g/$path/epics" params={params} {...current('epics', 'epic_boards', 'roadmap')}>
            Epics
          </Link>
          <Link to="/g/$path/boards" params={params} {...current('boards')}>
            Boards
          </Link>
          <Link
            to="/g/$path/iterations"
            params={params}
            {...current('iterations', 'cadences', 'value_stream_analytics')}
          >
            Iterations
          </Link>
          <Link to="/g/$path/milestones" params={params} {...current('milestones')}>
            Milestones
          </Link>
          <Link to="/g/$path/activity" params={params} {...current('activity')}>
            Activity
          </Link>
          <Link to="/g/$path/group_members" params={params} {...current('group_members')}>
            {withCount('Members', group.counts?.members)}
          </Link>
          {own >= level.developer ? (
            <Link to="/g/$path/security/vulnerability_report" params={params} {...current('security')}>
              Vulnerabilities
            </Link>
          ) : null}
          {own >= level.owner ? (
            <Link to="/g/$path/settings" params={params} {...current('settings', 'audit_events', 'runners')}>
              Settings
            </Link>
          ) : null}
        </TabRow>
      </div>
      {children}
    </>
  );
}
