/** The header of a project: where it is, how to clone it, and its one row of tabs. */
import { Button, Popover, Stack, TextInput } from '@mantine/core';
import { IconChevronDown, IconGitFork } from '@tabler/icons-react';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { toSegment } from '../../lib/urls.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { LinkButton } from '../../ui/links.ts';
import { useKeySequence } from '../../ui/sequence.ts';
import classes from './projects.module.css';
import { StarButton } from './StarButton.tsx';
import { level, useProject } from './useProject.ts';
import { Visibility } from './Visibility.tsx';

function Address({ label, value }: { label: string; value: string }) {
  return (
    <TextInput
      label={label}
      readOnly
      value={value}
      onFocus={(event) => event.currentTarget.select()}
      rightSection={<CopyButton value={value} label={`Copy the address for ${label}`} />}
    />
  );
}

function Clone({ project }: { project: Schemas['Project'] }) {
  return (
    <Popover position="bottom-end" width={360} withArrow={false}>
      <Popover.Target>
        <Button size="xs" variant="default" rightSection={<IconChevronDown size={14} />}>
          Clone
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Address label="HTTP" value={project.http_url_to_repo} />
          <Address label="SSH" value={project.ssh_url_to_repo} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function Breadcrumb({ project }: { project: Schemas['Project'] }) {
  const paths = project.namespace.full_path.split('/');
  const names = project.name_with_namespace.split(' / ').slice(0, -1);
  return (
    <nav aria-label="Breadcrumb" className={classes.crumbs}>
      {paths.map((part, index) => (
        <span key={paths.slice(0, index + 1).join('/')}>
          {project.namespace.kind === 'group' ? (
            <Link to="/g/$path" params={{ path: toSegment(paths.slice(0, index + 1).join('/')) }}>
              {names[index] ?? part}
            </Link>
          ) : (
            (names[index] ?? part)
          )}
          <span aria-hidden> / </span>
        </span>
      ))}
      <Link to="/o/$path" params={{ path: toSegment(project.path_with_namespace) }} className={classes.name}>
        {project.name}
      </Link>
    </nav>
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
        <span>Waits for its removal since {project.marked_for_deletion_on}</span>
      ) : null}
    </div>
  );
}

export function ProjectFrame({ children }: { children: ReactNode }) {
  const view = useProject();
  const { project, segment } = view;
  const navigate = useNavigate();
  const inside = useLocation({ select: (location) => location.pathname }).split('/')[3] ?? '';
  const params = useMemo(() => ({ path: segment }), [segment]);
  useKeySequence(
    'g',
    useMemo(
      () => ({
        c: () => void navigate({ to: '/o/$path', params }),
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
          <Breadcrumb project={project} />
          <Visibility level={project.visibility} />
          <div className={classes.grow} />
          <StarButton project={project} path={view.path} />
          {project.empty_repo ? null : (
            <LinkButton to="/p/$path/forks/new" params={params} leftSection={<IconGitFork size={14} aria-hidden />}>
              Fork · {project.forks_count}
            </LinkButton>
          )}
          <Clone project={project} />
        </div>
        <Origin project={project} />
        <nav aria-label="Project" className={classes.tabs}>
          <Link to="/o/$path" params={params} {...current('', 'tree', 'blob', 'commits', 'commit', 'branches')}>
            Code
          </Link>
          {project.merge_requests_enabled === false ? null : (
            <Link to="/p/$path/merge_requests" params={params} {...current('merge_requests')}>
              Merge requests
            </Link>
          )}
          {project.jobs_enabled === false ? null : (
            <Link to="/p/$path/pipelines" params={params} {...current('pipelines', 'jobs')}>
              Pipelines
            </Link>
          )}
          <Link to="/p/$path/activity" params={params} {...current('activity')}>
            Activity
          </Link>
          {view.level >= level.guest ? (
            <Link to="/p/$path/project_members" params={params} {...current('project_members')}>
              Members
            </Link>
          ) : null}
          {view.level >= level.maintainer ? (
            <Link to="/p/$path/settings" params={params} {...current('settings')}>
              Settings
            </Link>
          ) : null}
        </nav>
      </div>
      {children}
    </>
  );
}
