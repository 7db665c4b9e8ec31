/** A list of projects: where they are, what they are about, how many stars, when something happened last. */
import { Avatar } from '@mantine/core';
import { IconStar } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../lib/api.ts';
import { toSegment } from '../../lib/urls.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import classes from './projects.module.css';
import { Visibility } from './Visibility.tsx';

/** What a list needs of a project; short forms of it say less. */
export type ListedProject = Pick<
  Schemas['Project'],
  'id' | 'name' | 'name_with_namespace' | 'path_with_namespace' | 'description' | 'last_activity_at'
> &
  Partial<Pick<Schemas['Project'], 'avatar_url' | 'visibility' | 'archived' | 'marked_for_deletion_on' | 'star_count'>>;

export function ProjectRows({ projects }: { projects: readonly ListedProject[] }) {
  return (
    <DataList label="Projects">
      {projects.map((project) => (
        <DataRow
          key={project.id}
          before={
            <Avatar
              src={project.avatar_url ?? null}
              name={project.name}
              size={28}
              radius="sm"
              alt=""
              color="race"
              variant="light"
            />
          }
          title={
            <Link to="/o/$path" params={{ path: toSegment(project.path_with_namespace) }} data-entry>
              {project.name_with_namespace}
            </Link>
          }
          meta={
            <>
              {project.visibility ? <Visibility level={project.visibility} /> : null}
              {project.archived ? <span>Archived</span> : null}
              {project.marked_for_deletion_on ? <span>Scheduled for deletion</span> : null}
              {project.description ? <span className={classes.about}>{project.description}</span> : null}
            </>
          }
          after={
            <>
              {project.star_count ? (
                <span title="Stars" className={classes.count}>
                  <IconStar size={12} aria-label="Stars" /> {project.star_count}
                </span>
              ) : null}
              <TimeAgo at={project.last_activity_at} />
            </>
          }
        />
      ))}
    </DataList>
  );
}
