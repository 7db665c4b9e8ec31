/** A group: its projects, its subgroups, and what can be created in it. */
import { Text, Title } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import * as data from '../../lib/data.ts';
import { fromSegment, toSegment } from '../../lib/urls.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { Visibility } from '../projects/Visibility.tsx';
import classes from './groups.module.css';

export default function GroupPage() {
  const { path: segment = '' } = useParams({ strict: false });
  const path = fromSegment(segment);
  const { data: group } = useSuspenseQuery(data.group(path));
  const { data: projects } = useSuspenseQuery(data.groupProjects(path));
  const { data: subgroups = [] } = useQuery(data.subgroups(path));
  const parts = path.split('/');
  return (
    <Page
      title={group.full_name}
      heading={group.name}
      actions={
        <>
          <LinkButton to="/g/$path/settings" params={{ path: toSegment(group.full_path) }}>
            Settings
          </LinkButton>
          <LinkButton to="/groups/new" search={{ parent_id: group.id }}>
            New subgroup
          </LinkButton>
          <LinkButton to="/projects/new" search={{ namespace_id: group.id }} variant="filled">
            New project
          </LinkButton>
        </>
      }
    >
      <div className={classes.facts}>
        {parts.slice(0, -1).map((part, index) => (
          <span key={parts.slice(0, index + 1).join('/')}>
            <Link to="/g/$path" params={{ path: toSegment(parts.slice(0, index + 1).join('/')) }}>
              {part}
            </Link>{' '}
            /
          </span>
        ))}
        <Visibility level={group.visibility} />
      </div>
      {group.description ? <Text mb="md">{group.description}</Text> : null}
      {subgroups.length > 0 ? (
        <section className={classes.section}>
          <Title order={2}>Subgroups</Title>
          <DataList label="Subgroups">
            {subgroups.map((subgroup) => (
              <DataRow
                key={subgroup.id}
                title={
                  <Link to="/g/$path" params={{ path: toSegment(subgroup.full_path) }} data-entry>
                    {subgroup.name}
                  </Link>
                }
                meta={<Visibility level={subgroup.visibility} />}
              />
            ))}
          </DataList>
        </section>
      ) : null}
      <section className={classes.section}>
        <Title order={2}>Projects</Title>
        {projects.length === 0 ? (
          <EmptyState title="No projects yet">Create the first one of this group.</EmptyState>
        ) : (
          <DataList label="Projects">
            {projects.map((project) => (
              <DataRow
                key={project.id}
                title={
                  <Link to="/o/$path" params={{ path: toSegment(project.path_with_namespace) }} data-entry>
                    {project.name}
                  </Link>
                }
                meta={
                  <>
                    <Visibility level={project.visibility} />
                    {project.description ? <span>{project.description}</span> : null}
                  </>
                }
                after={<TimeAgo at={project.last_activity_at} />}
              />
            ))}
          </DataList>
        )}
      </section>
    </Page>
  );
}
