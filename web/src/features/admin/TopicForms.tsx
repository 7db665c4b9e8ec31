/** Making and changing a topic, and merging it into another. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { type Topic, topics } from '../../lib/topics.ts';
import { Select } from '../../ui/Choices.tsx';
import { DescriptionField } from '../../ui/DescriptionField.tsx';
import { FormActions } from '../../ui/FormActions.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { PictureField } from '../../ui/PictureField.tsx';
import { TextField, useFields } from '../../ui/TextField.tsx';
import { countOf } from '../topics/count.ts';

export function TopicForm({ topic, saved }: { topic?: Topic; saved(): Promise<unknown> }) {
  const fields = useFields({
    name: topic?.name ?? '',
    title: topic?.title ?? '',
    description: topic?.description ?? '',
  });
  const path = { path: { id: topic?.id ?? 0 } };
  const sending = useForm(async () => {
    const body = { ...fields.values, title: fields.values.title || fields.values.name };
    await unwrap(topic ? client.PUT('/topics/{id}', { params: path, body }) : client.POST('/topics', { body }));
    await saved();
  });
  return (
    <Stack gap="md">
      {topic ? (
        <PictureField
          src={topic.avatar_url}
          name={topic.title}
          alt="Topic avatar"
          save={async (form) => {
            await unwrap(client.PUT('/topics/{id}', { params: path, body: {}, bodySerializer: () => form }));
            await saved();
          }}
        />
      ) : null}
      <form {...sending.form}>
        <FormError error={sending.error} />
        <Stack gap="md">
          <TextField
            of={fields}
            reason={sending.reason}
            name="name"
            label="Name"
            description={topic ? 'Projects are updated when it changes' : 'Used in projects'}
            required
            autoComplete="off"
          />
          <TextField
            of={fields}
            reason={sending.reason}
            name="title"
            label="Title"
            description="Shown in lists; defaults to the name"
            autoComplete="off"
          />
          <DescriptionField
            value={fields.values.description}
            change={(text) => fields.set('description', text)}
            reason={sending.reason}
          />
          <Group>
            <Button type="submit" loading={sending.pending}>
              {topic ? 'Save topic' : 'Create topic'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Stack>
  );
}

interface MergeProps {
  readonly topic: Topic;
  merged(): Promise<unknown>;
  cancel(): void;
}

export function MergeTopic({ topic, merged, cancel }: MergeProps) {
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, 200);
  const [into, setInto] = useState<string | null>(null);
  const { data } = useInfiniteQuery({ ...topics(search || undefined), placeholderData: keepPreviousData });
  const others = data?.pages.flatMap(({ items }) => items).filter(({ id }) => id !== topic.id) ?? [];
  const sending = useForm(async () => {
    const body = { source_topic_id: topic.id, target_topic_id: Number(into) };
    await unwrap(client.POST('/topics/merge', { body }));
    await merged();
  });
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        <Text>
          {countOf(topic.total_projects_count)} with <strong>{topic.title}</strong> get the other topic instead, and{' '}
          {topic.title} is removed.
        </Text>
        <Select
          label="Target topic"
          required
          searchable
          data={others.map(({ id, title }) => ({ value: String(id), label: title }))}
          value={into}
          onChange={setInto}
          onSearchChange={setText}
          nothingFoundMessage="No topics match"
        />
        <FormActions action="Merge topics" pending={sending.pending} danger cancel={cancel} />
      </Stack>
    </form>
  );
}
