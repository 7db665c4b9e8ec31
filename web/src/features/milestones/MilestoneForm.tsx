/** What a milestone says: its title, its days, and what is to be done. */
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Milestone } from '../../lib/planning.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { LinkButton } from '../../ui/links.ts';
import { MarkdownEditor } from '../editor/MarkdownEditor.tsx';
import { listTarget, oneTarget } from './MilestoneLink.tsx';
import classes from './milestones.module.css';
import type { MilestonesInView } from './useMilestones.ts';

interface Props {
  readonly of: MilestonesInView;
  /** None for a new one. */
  readonly milestone?: Milestone;
  /** Back to what is changed; a new one has its own page afterwards. */
  readonly leave?: () => void;
}

export function MilestoneForm({ of, milestone, leave }: Props) {
  const [title, setTitle] = useState(milestone?.title ?? '');
  const [start, setStart] = useState(milestone?.start_date ?? '');
  const [due, setDue] = useState(milestone?.due_date ?? '');
  const [description, setDescription] = useState(milestone?.description ?? '');
  const cache = useQueryClient();
  const navigate = useNavigate();
  const sending = useForm(async () => {
    const body = { title, description, start_date: start || null, due_date: due || null };
    const saved = await (milestone ? of.milestones.change(milestone.id, body) : of.milestones.create(body));
    await cache.invalidateQueries({ queryKey: of.milestones.key });
    if (leave) leave();
    else await navigate(oneTarget(of, saved.iid));
  });
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        <TextInput
          label="Title"
          required
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
          error={sending.reason('title')}
        />
        <div className={classes.dates}>
          <TextInput
            type="date"
            label="Start date"
            value={start}
            onChange={(event) => setStart(event.currentTarget.value)}
            error={sending.reason('start_date')}
          />
          <TextInput
            type="date"
            label="Due date"
            value={due}
            onChange={(event) => setDue(event.currentTarget.value)}
            error={sending.reason('due_date')}
          />
        </div>
        <MarkdownEditor
          label="Description"
          rows={5}
          place={of}
          value={description}
          change={setDescription}
          error={sending.reason('description')}
        />
        <Group gap="sm">
          <Button type="submit" loading={sending.pending} disabled={title.trim() === ''}>
            {milestone ? 'Save changes' : 'Create milestone'}
          </Button>
          {leave ? (
            <Button variant="default" onClick={leave}>
              Cancel
            </Button>
          ) : (
            <LinkButton {...listTarget(of)} size="sm">
              Cancel
            </LinkButton>
          )}
        </Group>
      </Stack>
    </form>
  );
}
