/** The form of one's own review: pending comments, a summary, and the outcome. */
import { Anchor, Button, Group, PasswordInput, Radio, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { draftsOf, type ReviewOutcome, removeDraft, submitReview } from '../../lib/reviews.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { MarkdownEditor } from '../editor/MarkdownEditor.tsx';
import { level, useProject } from '../projects/useProject.ts';
import classes from './merge-requests.module.css';

/** Its beginning in a line; of suggested lines only that there are some. */
function excerpt(note: string): string {
  const line = note
    .replaceAll(/^```suggestion.*\n[\s\S]*?^```/gm, '(suggestion)')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}

function Drafts({ iid, drafts }: { iid: number; drafts: readonly Schemas['DraftNote'][] }) {
  const { path } = useProject();
  const cache = useQueryClient();
  const removing = useMutation({
    mutationFn: (draft: number) => removeDraft(path, iid, draft),
    onSuccess: () => cache.fetchQuery({ ...draftsOf(path, iid), staleTime: 0 }),
  });
  if (drafts.length === 0) return null;
  return (
    <>
      <ul className={classes.conflicts} aria-label="Pending comments">
        {drafts.map(({ id, note, position }) => {
          const file = position.new_path ?? position.old_path;
          return (
            <li key={id}>
              {file ? <code>{`${file}:${position.new_line ?? position.old_line ?? ''} `}</code> : null}
              {excerpt(note)}{' '}
              <Anchor component="button" type="button" size="sm" onClick={() => removing.mutate(id)}>
                Delete
              </Anchor>
            </li>
          );
        })}
      </ul>
      <FormError error={removing.error} />
    </>
  );
}

interface Props {
  readonly request: Schemas['MergeRequestDetail'];
  readonly drafts: readonly Schemas['DraftNote'][];
  readonly mayApprove: boolean;
  /** Whether who approves has to give their password. */
  readonly passwordRequired: boolean;
  readonly ownId: number;
  submitted(): void;
}

export default function ReviewForm({ request, drafts, mayApprove, passwordRequired, ownId, submitted }: Props) {
  const { path, level: mine } = useProject();
  const { iid } = request;
  const cache = useQueryClient();
  const [note, setNote] = useState('');
  const [password, setPassword] = useState('');
  const [outcome, setOutcome] = useState<ReviewOutcome>('reviewed');
  const sending = useForm(async () => {
    await submitReview(path, iid, { note, outcome, password, sha: request.sha });
    // Published: none of them is left to ask for.
    cache.setQueryData(draftsOf(path, iid).queryKey, []);
    setNote('');
    setPassword('');
    setOutcome('reviewed');
    submitted();
    await cache.invalidateQueries({ queryKey: ['project', path, 'merge-request', iid] });
  });
  const mayRequest = ownId !== request.author.id && (mine >= level.developer || mayApprove);
  const asks = outcome === 'approved' && passwordRequired;
  const empty = outcome === 'reviewed' && drafts.length === 0 && note.trim() === '';
  return (
    <form {...sending.form} aria-label="Submit your review" className={classes.choices}>
      <Stack gap="sm">
        <FormError error={sending.error} />
        <Drafts iid={iid} drafts={drafts} />
        <MarkdownEditor
          label="Summary"
          rows={3}
          place={{ kind: 'project', path }}
          target="merge_request"
          value={note}
          change={setNote}
        />
        <Radio.Group label="Outcome" value={outcome} onChange={(value) => setOutcome(value as ReviewOutcome)}>
          <Stack gap={6} mt={4}>
            <Radio value="reviewed" label="Comment" description="Publish comments without a decision." />
            {mayApprove ? (
              <Radio value="approved" label="Approve" description="Publish comments and approve the changes." />
            ) : null}
            {mayRequest ? (
              <Radio
                value="requested_changes"
                label="Request changes"
                description="Block the merge until you approve, or somebody who may merge bypasses it."
              />
            ) : null}
          </Stack>
        </Radio.Group>
        {asks ? (
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        ) : null}
        <Group>
          <Button type="submit" loading={sending.pending} disabled={empty || (asks && password === '')}>
            Submit review
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
