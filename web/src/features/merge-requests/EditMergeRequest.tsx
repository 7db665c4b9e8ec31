/** Changing title, target branch, description, labels and milestone of a merge request. */
import { Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { MarkdownEditor } from '../editor/MarkdownEditor.tsx';
import { RefPicker } from '../files/RefPicker.tsx';
import { type Plan, PlanFields } from '../milestones/PlanFields.tsx';
import { level, useProject } from '../projects/useProject.ts';
import classes from './merge-requests.module.css';

export function EditMergeRequest({ request, close }: { request: Schemas['MergeRequestDetail']; close: () => void }) {
  const { path, ...view } = useProject();
  const plans = view.level >= level.planner;
  const [title, setTitle] = useState(request.title);
  const [target, setTarget] = useState(request.target_branch);
  const [description, setDescription] = useState(request.description ?? '');
  const [plan, setPlan] = useState<Plan>({ labels: request.labels, milestone: request.milestone });
  const cache = useQueryClient();
  const sending = useForm(async () => {
    await unwrap(
      client.PUT('/projects/{id}/merge_requests/{merge_request_iid}', {
        params: { path: { id: path, merge_request_iid: request.iid } },
        body: {
          title,
          description,
          ...(target === request.target_branch ? {} : { target_branch: target }),
          ...(plans ? { labels: [...plan.labels], milestone_id: plan.milestone?.id ?? 0 } : {}),
        },
      }),
    );
    await cache.invalidateQueries({ queryKey: ['project', path, 'merge-request', request.iid] });
    close();
  });
  return (
    <form {...sending.form} className={classes.edit}>
      <FormError error={sending.error} />
      <Stack gap="sm" mb="lg">
        <TextInput
          label="Title"
          required
          autoFocus
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
          error={sending.reason('title')}
        />
        <Input.Wrapper label="Target branch" labelElement="div" error={sending.reason('target_branch')}>
          <div>
            <RefPicker value={target} choose={setTarget} label="Target branch" only="branches" />
          </div>
        </Input.Wrapper>
        <MarkdownEditor
          label="Description"
          place={{ kind: 'project', path }}
          value={description}
          change={setDescription}
          error={sending.reason('description')}
        />
        {plans ? <PlanFields plan={plan} change={setPlan} reason={sending.reason} /> : null}
        <Group gap="sm">
          <Button type="submit" size="xs" loading={sending.pending}>
            Save
          </Button>
          <Button size="xs" variant="default" onClick={close}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
