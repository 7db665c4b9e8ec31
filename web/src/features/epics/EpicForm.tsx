/** The fields of an epic. Dates that are left empty follow from its issues and child epics. */
import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Epic, EpicValues } from '../../lib/epics.ts';
import { TagsInput } from '../../ui/Choices.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { usePlace } from '../comments/usePlace.ts';
import { MarkdownEditor } from '../editor/MarkdownEditor.tsx';
import classes from '../milestones/milestones.module.css';

interface Props {
  readonly epic?: Epic;
  readonly action: string;
  send(values: EpicValues & { readonly title: string }): Promise<unknown>;
  close(): void;
}

export function EpicForm({ epic, action, send, close }: Props) {
  const place = usePlace();
  const [title, setTitle] = useState(epic?.title ?? '');
  const [description, setDescription] = useState(epic?.description ?? '');
  const [labels, setLabels] = useState<string[]>(epic?.labels ?? []);
  const [start, setStart] = useState(epic?.start_date_is_fixed ? (epic.start_date_fixed ?? '') : '');
  const [due, setDue] = useState(epic?.due_date_is_fixed ? (epic.due_date_fixed ?? '') : '');
  const [confidential, setConfidential] = useState(epic?.confidential ?? false);
  const form = useForm(() =>
    send({
      ...{ title, labels, confidential },
      description: description === '' ? null : description,
      start_date_is_fixed: start !== '',
      start_date_fixed: start === '' ? null : start,
      due_date_is_fixed: due !== '',
      due_date_fixed: due === '' ? null : due,
    }),
  );
  return (
    <form {...form.form}>
      <Stack gap="md" mb="lg">
        <FormError error={form.error} />
        <TextInput
          label="Title"
          required
          autoFocus
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
          error={form.reason('title')}
        />
        <MarkdownEditor
          label="Description"
          place={place}
          target={epic ? undefined : 'epic'}
          value={description}
          change={setDescription}
          error={form.reason('description')}
        />
        <TagsInput
          label="Labels"
          description="Press Enter to add. New labels are created."
          value={labels}
          onChange={setLabels}
          error={form.reason('labels')}
        />
        <div className={classes.dates}>
          <TextInput
            label="Start date"
            description="Leave empty to inherit it from issues and child epics"
            type="date"
            value={start}
            onChange={(event) => setStart(event.currentTarget.value)}
            error={form.reason('start_date_fixed')}
          />
          <TextInput
            label="Due date"
            description="Leave empty to inherit it from issues and child epics"
            type="date"
            value={due}
            onChange={(event) => setDue(event.currentTarget.value)}
            error={form.reason('due_date_fixed')}
          />
        </div>
        <Checkbox
          label="Confidential"
          description="Visible only to its author and group members with at least the Planner role"
          checked={confidential}
          onChange={(event) => setConfidential(event.currentTarget.checked)}
        />
        <Group>
          <Button type="submit" loading={form.pending} disabled={title.trim() === ''}>
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
