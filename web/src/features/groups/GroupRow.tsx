/** A group in a tree: a link, what it is about, and what is below it when it is opened. */
import { ActionIcon, Avatar } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { type GroupSort, groupsBelow, projectsIn } from '../../lib/groups.ts';
import { toSegment } from '../../lib/urls.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { Visibility } from '../projects/Visibility.tsx';
import classes from './groups.module.css';

type Group = Pick<
  Schemas['Group'],
  'id' | 'name' | 'full_name' | 'full_path' | 'avatar_url' | 'visibility' | 'description' | 'archived'
>;
type Project = {
  readonly id: number;
  readonly name: string;
  readonly name_with_namespace: string;
  readonly path_with_namespace: string;
  readonly avatar_url?: string | null;
  readonly visibility?: Schemas['Project']['visibility'];
  readonly archived?: boolean;
  readonly description?: string | null;
  readonly last_activity_at: string;
};

export function ProjectRow({ project, full = false }: { project: Project; full?: boolean }) {
  return (
    <DataRow
      before={full ? undefined : <span className={classes.indent} />}
      title={
        <span className={classes.name}>
          <Avatar
            src={project.avatar_url ?? null}
            name={project.name}
            size={22}
            radius="sm"
            alt=""
            color="race"
            variant="light"
          />
          <Link to="/o/$path" params={{ path: toSegment(project.path_with_namespace) }} data-entry>
            {full ? project.name_with_namespace : project.name}
          </Link>
        </span>
      }
      meta={
        <>
          {project.visibility ? <Visibility level={project.visibility} /> : null}
          {project.archived ? <span>Archived</span> : null}
          {project.description ? <span>{project.description}</span> : null}
        </>
      }
      after={<TimeAgo at={project.last_activity_at} />}
    />
  );
}

interface GroupRowProps {
  readonly group: Group;
  readonly sort?: GroupSort | undefined;
  /** Shows where it is; for lists that are no tree. */
  readonly full?: boolean;
}

export function GroupRow({ group, sort, full = false }: GroupRowProps) {
  const [open, setOpen] = useState(false);
  const below = useQuery({ ...groupsBelow(group.full_path, { sort }), enabled: open });
  const projects = useQuery({ ...projectsIn(group.full_path, { sort }), enabled: open });
  const empty = below.data?.items.length === 0 && projects.data?.items.length === 0;
  return (
    <>
      <DataRow
        before={
          full ? undefined : (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-expanded={open}
              aria-label={`Contents of ${group.name}`}
              onClick={() => setOpen(!open)}
            >
              {open ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
            </ActionIcon>
          )
        }
        title={
          <span className={classes.name}>
            <Avatar
              src={group.avatar_url}
              name={group.name}
              size={22}
              radius="sm"
              alt=""
              color="race"
              variant="filled"
            />
            <Link to="/g/$path" params={{ path: toSegment(group.full_path) }} data-entry>
              {full ? group.full_name : group.name}
            </Link>
          </span>
        }
        meta={
          <>
            <Visibility level={group.visibility} />
            {group.archived ? <span>Archived</span> : null}
            {group.description ? <span>{group.description}</span> : null}
          </>
        }
      />
      {open ? (
        <li className={classes.below}>
          {empty ? (
            <p className={classes.nothing}>Empty group.</p>
          ) : (
            <DataList label={`In ${group.name}`}>
              {below.data?.items.map((each) => (
                <GroupRow key={`g${each.id}`} group={each} sort={sort} />
              ))}
              {projects.data?.items.map((each) => (
                <ProjectRow key={`p${each.id}`} project={each} />
              ))}
            </DataList>
          )}
        </li>
      ) : null}
    </>
  );
}
