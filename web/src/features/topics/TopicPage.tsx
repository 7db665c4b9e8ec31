/** A topic: what it is about, and the projects that have it. */
import { Avatar, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { projectsWithTopic, topicByName } from '../../lib/topics.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { ProjectRows } from '../projects/ProjectRows.tsx';
import classes from './topics.module.css';

export default function TopicPage() {
  const { name } = useParams({ from: '/explore/projects/topics/$name' });
  const { page = 1 } = useSearch({ from: '/explore/projects/topics/$name' });
  const { data: topic } = useSuspenseQuery(topicByName(name));
  const { data: projects } = useSuspenseQuery(projectsWithTopic(topic.name, page));
  const navigate = useNavigate();
  return (
    <Page
      title={`${topic.title} · Topics`}
      heading={
        <span className={classes.head}>
          <Avatar
            src={topic.avatar_url}
            name={topic.title}
            size={32}
            radius="sm"
            alt=""
            aria-hidden
            color="race"
            variant="filled"
          />
          {topic.title}
        </span>
      }
      actions={<LinkButton to="/explore/projects/topics">All topics</LinkButton>}
    >
      {topic.description ? <Text mb="md">{topic.description}</Text> : null}
      {projects.items.length === 0 ? (
        <EmptyState title="No projects with this topic">Add it to a project in its settings.</EmptyState>
      ) : (
        <ProjectRows projects={projects.items} />
      )}
      <Pager
        page={page}
        nextPage={projects.nextPage}
        go={(number) =>
          void navigate({ to: '/explore/projects/topics/$name', params: { name }, search: { page: number } })
        }
      />
    </Page>
  );
}
