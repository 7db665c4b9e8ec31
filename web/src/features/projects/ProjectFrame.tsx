/** The header of a project: where it is, how to clone it, and its one row of tabs. */
import { Avatar } from '@mantine/core';
import { IconGitFork } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { Schemas } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { toSegment } from '../../lib/urls.ts';
import { useTopics } from '../../lib/useLive.ts';
import { LinkButton } from '../../ui/links.ts';
import { useKeySequence } from '../../ui/sequence.ts';
import { TabRow, withCount } from '../../ui/TabRow.tsx';
import { AccessButton } from '../members/AccessButton.tsx';
import { PipelineTabs } from '../pipelines/PipelineTabs.tsx';
import { CloneMenu } from './CloneMenu.tsx';
import { Crumbs } from './Crumbs.tsx';
import classes from './projects.module.css';
import { StarButton } from './StarButton.tsx';
import { featureIsOpen, level, useProject } from './useProject.ts';
import { Visibility } from './Visibility.tsx';

function Breadcrumb({ project }: { project: Schemas['Project'] }) {
  const { namespace, name_with_namespace, path_with_namespace, name } = project;
  return (
    <Crumbs
      path={namespace.full_path}
      names={name_with_namespace.split(' / ').slice(0, -1)}
      linked={namespace.kind === 'group'}
    >
      <Link to="/o/$path" params={{ path: toSegment(path_with_namespace) }} className={classes.name}>
        {name}
      </Link>
    </Crumbs>
  );
}

/** Where a fork comes from, and what state the project is in. */
function Origin({ project }: { project: Schemas['Project'] }) {
  const from = project.forked_from_project;
  if (!from && !project.archived && !project.marked_for_deletion_on) return null;
  return (
    <div className={classes.origin}>
      {from ? (
        <span>
          Forked from{' '}
          <Link to="/o/$path" params={{ path: toSegment(from.path_with_namespace) }}>
            {from.path_with_namespace}
          </Link>
        </span>
      ) : null}
      {project.archived ? <span>Archived: read-only</span> : null}
      {project.marked_for_deletion_on ? (
        <span>Scheduled for deletion since {project.marked_for_deletion_on}</span>
      ) : null}
    </div>
  );
}

/** Whether the project has it; visitors are told only what they see. */
const shows = (project: Schemas['Project'], of: 'issues' | 'merge_requests'): boolean =>
  project[`${of}_enabled`] ?? project.counts?.[of] !== undefined;

/** Counts again when something in a list changes that the caller sees. */
function useLiveCounts({ id, counts }: Schemas['Project'], path: string): void {
  const cache = useQueryClient();
  const { queryKey } = data.project(path);
  const topics = [
    ...(counts?.issues === undefined ? [] : [`project:${id}:issues`]),
    ...(counts?.merge_requests === undefined ? [] : [`project:${id}:merge_requests`]),
  ];
  useTopics(topics, [queryKey], () => void cache.invalidateQueries({ queryKey, exact: true }));
}

export function ProjectFrame({ children }: { children: ReactNode }) {
  const view = useProject();
  const { project, segment, path } = view;
  useLiveCounts(project, path);
  const navigate = useNavigate();
  const inside = useLocation({ select: (location) => location.pathname }).split('/')[3] ?? '';
  const params = useMemo(() => ({ path: segment }), [segment]);
  useKeySequence(
    'g',
    useMemo(
      () => ({
        c: () => void navigate({ to: '/o/$path', params }),
        i: () => void navigate({ to: '/p/$path/issues', params }),
        m: () => void navigate({ to: '/p/$path/merge_requests', params }),
        p: () => void navigate({ to: '/p/$path/pipelines', params }),
      }),
      [navigate, params],
    ),
  );
  const current = (...names: string[]) => (names.includes(inside) ? ({ 'aria-current': 'page' } as const) : {});
  return (
    <>
      <div className={classes.header}>
        <div className={classes.object}>
          <span className={classes.place}>
            <Avatar
              src={project.avatar_url}
              name={project.name}
              size={24}
              radius="sm"
              alt=""
              color="race"
              variant="light"
            />
            <Breadcrumb project={project} />
          </span>
          <Visibility level={project.visibility} />
          <div className={classes.grow} />
          {view.level === 0 ? (
            <AccessButton noun="project" path={path} offered={project.request_access_enabled === true} />
          ) : null}
          <StarButton project={project} path={path} />
          {project.empty_repo ? null : (
            <LinkButton to="/p/$path/forks/new" params={params} leftSection={<IconGitFork size={14} aria-hidden />}>
              Fork · {project.forks_count}
            </LinkButton>
          )}
          <CloneMenu path={path} />
        </div>
        <Origin project={project} />
        <TabRow label="Project" className={classes.tabs}>
          <Link
            to="/o/$path"
            params={params}
            {...current(
              '',
              'tree',
              'blob',
              'commits',
              'commit',
              'branches',
              'tags',
              'compare',
              'network',
              'graphs',
              'forks',
              'starrers',
              'path_locks',
              'releases',
              'edit',
              'new',
              'blame',
              'find_file',
            )}
          >
            Code
          </Link>
          {shows(project, 'issues') ? (
            <Link
              to="/p/$path/issues"
              params={params}
              {...current('issues', 'milestones', 'boards', 'iterations', 'value_stream_analytics')}
            >
              {withCount('Issues', project.counts?.issues)}
            </Link>
          ) : null}
          {project.external_issue_tracker ? (
            <a href={project.external_issue_tracker.project_url} rel="noopener noreferrer">
              {project.external_issue_tracker.title}
            </a>
          ) : null}
          {shows(project, 'merge_requests') ? (
            <Link to="/p/$path/merge_requests" params={params} {...current('merge_requests', 'merge_trains')}>
              {withCount('Merge requests', project.counts?.merge_requests)}
            </Link>
          ) : null}
          {project.jobs_enabled === false ? null : (
            <Link
              to="/p/$path/pipelines"
              params={params}
              {...current('pipelines', 'jobs', 'ci', 'environments', 'feature_flags', 'packages', 'pipeline_schedules')}
            >
              Pipelines
            </Link>
          )}
          {view.level >= level.developer ? (
            <Link to="/p/$path/security/vulnerability_report" params={params} {...current('security')}>
              Vulnerabilities
            </Link>
          ) : null}
          {featureIsOpen(project.wiki_enabled === false ? 'disabled' : project.wiki_access_level, view.level) ? (
            <Link to="/p/$path/wikis/$" params={{ ...params, _splat: '' }} {...current('wikis')}>
              Wiki
            </Link>
          ) : null}
          {project.external_wiki_url ? (
            <a href={project.external_wiki_url} rel="noopener noreferrer">
              External wiki
            </a>
          ) : null}
          {featureIsOpen(
            project.snippets_enabled === false ? 'disabled' : project.snippets_access_level,
            view.level,
          ) ? (
            <Link to="/p/$path/snippets/$" params={{ ...params, _splat: '' }} {...current('snippets')}>
              Snippets
            </Link>
          ) : null}
          <Link to="/p/$path/activity" params={params} {...current('activity')}>
            Activity
          </Link>
          {view.level >= level.guest ? (
            <Link to="/p/$path/project_members" params={params} {...current('project_members')}>
              Members
            </Link>
          ) : null}
          {view.level >= level.maintainer ? (
            <Link to="/p/$path/settings" params={params} {...current('settings', 'audit_events', 'runners')}>
              Settings
            </Link>
          ) : null}
        </TabRow>
      </div>
      <PipelineTabs />
      {children}
    </>
  );
}
