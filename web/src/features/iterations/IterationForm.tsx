/** The fields of an iteration. */
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Iteration, IterationValues } from '../../lib/iterations.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { usePlace } from '../comments/usePlace.ts';
import { MarkdownEditor } from '../editor/MarkdownEditor.tsx';
import classes from '../milestones/milestones.module.css';

interface Props {
  readonly iteration?: Iteration;
  readonly action: string;
  send(values: IterationValues): Promise<unknown>;
  close(): void;
}

export function IterationForm({ iteration, action, send, close }: Props) {
  const [title, setTitle] = useState(iteration?.title ?? '');
  const place = usePlace();
  const [description, setDescription] = useState(iteration?.description ?? '');
  const [first, setFirst] = useState(iteration?.start_date ?? '');
  const [last, setLast] = useState(iteration?.due_date ?? '');
  const form = useForm(() =>
    send({
      title: title.trim() === '' ? null : title,
      description: description === '' ? null : description,
      start_date: first,
      due_date: last,
    }),
  );
  return (
    <form {...form.form}>
      <Stack gap="md" mb="lg">
        <FormError error={form.error} />
        <TextInput
          label="Title"
          description="Leave empty to show the dates instead"
          autoFocus
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
          error={form.reason('title')}
        />
        <div className={classes.dates}>
          <TextInput
            label="Start date"
            type="date"
            required
            value={first}
            onChange={(event) => setFirst(event.currentTarget.value)}
            error={form.reason('start_date')}
          />
          <TextInput
            label="Due date"
            type="date"
            required
            value={last}
            onChange={(event) => setLast(event.currentTarget.value)}
            error={form.reason('due_date')}
          />
        </div>
        <MarkdownEditor
          label="Description"
          rows={3}
          place={place}
          value={description}
          change={setDescription}
          error={form.reason('description')}
        />
        <Group>
          <Button type="submit" loading={form.pending} disabled={first === '' || last === ''}>
            {action}
          </Button>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
