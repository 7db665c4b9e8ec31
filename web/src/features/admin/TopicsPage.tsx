/** Topics of the instance, looked after by administrators: new ones, changed, merged, removed. */
import { ActionIcon, Avatar, Button } from '@mantine/core';
import { IconArrowMerge, IconPencil, IconTrash } from '@tabler/icons-react';
import { useQueryClient, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { type Topic, topics } from '../../lib/topics.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { Modal } from '../../ui/Modal.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { countOf } from '../topics/count.ts';
import { AdminFrame } from './AdminFrame.tsx';
import { MergeTopic, TopicForm } from './TopicForms.tsx';

type Doing = { readonly what: 'edit' | 'merge'; readonly topic: Topic } | { readonly what: 'make' } | null;

function Row({ topic, act }: { topic: Topic; act: (what: 'edit' | 'merge' | 'remove') => void }) {
  const action = { variant: 'subtle', color: 'gray', size: 30 } as const;
  return (
    <DataRow
      before={
        <Avatar src={topic.avatar_url} name={topic.title} size={28} radius="sm" alt="" color="race" variant="filled" />
      }
      title={
        <Link to="/explore/projects/topics/$name" params={{ name: topic.name }} data-entry>
          {topic.title}
        </Link>
      }
      meta={
        <>
          {topic.name === topic.title ? null : <code>{topic.name}</code>}
          <span>{countOf(topic.total_projects_count)}</span>
          {topic.description ? <span>{topic.description}</span> : null}
        </>
      }
      after={
        <>
          <ActionIcon {...action} aria-label={`Edit ${topic.title}`} onClick={() => act('edit')}>
            <IconPencil size={16} />
          </ActionIcon>
          <ActionIcon {...action} aria-label={`Merge ${topic.title}`} onClick={() => act('merge')}>
            <IconArrowMerge size={16} />
          </ActionIcon>
          <ActionIcon {...action} aria-label={`Remove ${topic.title}`} onClick={() => act('remove')}>
            <IconTrash size={16} />
          </ActionIcon>
        </>
      }
    />
  );
}

export default function TopicsPage() {
  const { search } = useSearch({ from: '/administration/admin/topics' });
  const navigate = useNavigate();
  const cache = useQueryClient();
  const [doing, setDoing] = useState<Doing>(null);
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery(topics(search));
  const found = data.pages.flatMap(({ items }) => items);
  const done = () => setDoing(null);
  const again = () => cache.invalidateQueries({ queryKey: ['topics'] });
  const changed = async () => {
    await again();
    done();
  };
  const leaving = useConfirmed(
    ({ id }: Topic) => unwrap(client.DELETE('/topics/{id}', { params: { path: { id } } })),
    again,
  );
  return (
    <AdminFrame
      title="Topics"
      wide
      actions={
        <Button size="xs" onClick={() => setDoing({ what: 'make' })}>
          New topic
        </Button>
      }
    >
      <FilterBar
        label="Search topics"
        value={search ?? ''}
        change={(text) => void navigate({ to: '/admin/topics', search: { search: text || undefined }, replace: true })}
      />
      {found.length === 0 ? (
        <EmptyState title={search ? 'No topics match' : 'No topics yet'}>
          {search ? 'Try a different search.' : 'Topics are created when they are first added to a project.'}
        </EmptyState>
      ) : (
        <DataList label="Topics">
          {found.map((topic) => (
            <Row
              key={topic.id}
              topic={topic}
              act={(what) => (what === 'remove' ? leaving.ask(topic) : setDoing({ what, topic }))}
            />
          ))}
        </DataList>
      )}
      <ShowMore more={hasNextPage} pending={isFetchingNextPage} show={fetchNextPage} />
      <Modal opened={doing?.what === 'make' || doing?.what === 'edit'} onClose={done} title="Topic">
        {doing?.what === 'make' ? <TopicForm saved={changed} /> : null}
        {doing?.what === 'edit' ? <TopicForm topic={doing.topic} saved={changed} /> : null}
      </Modal>
      <Modal opened={doing?.what === 'merge'} onClose={done} title="Merge topics">
        {doing?.what === 'merge' ? <MergeTopic topic={doing.topic} merged={changed} cancel={done} /> : null}
      </Modal>
      <ConfirmName
        {...leaving.dialog}
        title="Delete topic"
        text={`It will be removed from ${countOf(leaving.asked?.total_projects_count ?? 0)}.`}
        name={leaving.asked?.name ?? ''}
        action="Delete topic"
      />
    </AdminFrame>
  );
}
