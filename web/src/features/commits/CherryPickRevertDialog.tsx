/** Puts the change of a commit on a branch, or takes it back: tried before, done directly or by a merge request. */
import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { type Replay, rehearsal, replay, replayOnNewBranch } from '../../lib/history.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { RefPicker } from '../files/RefPicker.tsx';
import { useProject } from '../projects/useProject.ts';

const words = {
  cherry_pick: { title: 'Cherry-pick', does: 'Applies the changes of this commit to a branch.', name: 'cherry-pick' },
  revert: { title: 'Revert', does: 'Creates a new commit that undoes the changes of this commit.', name: 'revert' },
} as const;

interface CherryPickRevertDialogProps {
  kind: Replay;
  commit: Schemas['Commit'];
  close: () => void;
}

export function CherryPickRevertDialog({ kind, commit, close }: CherryPickRevertDialogProps) {
  const { project, path, segment } = useProject();
  const [branch, setBranch] = useState(project.default_branch ?? '');
  const asks = project.merge_requests_enabled !== false;
  const [request, setRequest] = useState(asks);
  const tried = useQuery({ ...rehearsal(kind, path, commit.id, branch), enabled: branch !== '' });
  const navigate = useNavigate();
  const { title, does, name } = words[kind];
  const sending = useForm(async () => {
    const place = { path, sha: commit.id };
    if (!request) {
      await replay(kind, place, { branch });
      await navigate({ to: '/p/$path/commits/$', params: { path: segment, _splat: branch } });
      return;
    }
    const source = `${name}-${commit.short_id}`;
    await replayOnNewBranch(kind, place, { branch: source, ref: branch });
    const search = { source, target: branch };
    await navigate({ to: '/p/$path/merge_requests/new', params: { path: segment }, search });
  });
  return (
    <Modal opened onClose={close} title={`${title} ${commit.short_id}`}>
      <form {...sending.form}>
        <FormError error={sending.error ?? tried.error} />
        <Stack gap="md">
          <Text>{does}</Text>
          <Group gap="xs">
            <RefPicker value={branch || 'Choose a branch'} choose={setBranch} label="Branch" only="branches" />
            {tried.isSuccess ? <Text c="var(--mr-dim)">No conflicts.</Text> : null}
          </Group>
          {asks ? (
            <Checkbox
              label="Create a new branch and a merge request"
              checked={request}
              onChange={(event) => setRequest(event.currentTarget.checked)}
            />
          ) : null}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={sending.pending} disabled={!tried.isSuccess}>
              {title}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
