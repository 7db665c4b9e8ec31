/** Approving or rejecting a deployment that waits for it, with a comment, and for which of its rules. */
import { Button, Group, NativeSelect, Stack, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { reviewDeployment } from '../../lib/environment-actions.ts';
import type { ListedDeployment } from '../../lib/environments.ts';
import { FormError } from '../../ui/FormError.tsx';
import { Modal } from '../../ui/Modal.tsx';
import { useProject } from '../projects/useProject.ts';

type Rules = NonNullable<ListedDeployment['review']>['approval_summary']['rules'];

interface Props {
  readonly deployment: ListedDeployment;
  readonly rules: Rules;
  shown(): Promise<unknown>;
}

export function DeploymentReview({ deployment, rules, shown }: Props) {
  const { path } = useProject();
  const [opened, setOpened] = useState(false);
  const [comment, setComment] = useState('');
  const [rule, setRule] = useState('');
  const close = () => setOpened(false);
  const review = useMutation({
    mutationFn: (status: 'approved' | 'rejected') =>
      reviewDeployment(path, deployment.id, {
        status,
        ...(comment.trim() ? { comment } : {}),
        ...(rule ? { represented_as: rule } : {}),
      }),
    async onSuccess() {
      await shown();
      close();
    },
  });
  const titles = [...new Set(rules.map(({ access_level_description: title }) => title))];
  return (
    <>
      <Button
        size="xs"
        aria-label={`Review deployment #${deployment.iid}`}
        onClick={() => {
          review.reset();
          setOpened(true);
        }}
      >
        Review
      </Button>
      <Modal opened={opened} onClose={close} title={`Review deployment #${deployment.iid}`}>
        <Stack gap="md">
          <FormError error={review.error} />
          {titles.length > 1 ? (
            <NativeSelect
              label="Approve as"
              description="The approval counts for this rule only."
              value={rule}
              onChange={(event) => setRule(event.currentTarget.value)}
              data={[
                { value: '', label: 'First rule that needs an approval' },
                ...titles.map((title) => ({ value: title, label: title })),
              ]}
            />
          ) : null}
          <Textarea
            label="Comment (optional)"
            maxLength={255}
            autosize
            minRows={2}
            data-autofocus
            value={comment}
            onChange={(event) => setComment(event.currentTarget.value)}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button variant="default" disabled={review.isPending} onClick={() => review.mutate('rejected')}>
              Reject
            </Button>
            <Button loading={review.isPending} onClick={() => review.mutate('approved')}>
              Approve
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
