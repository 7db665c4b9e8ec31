/** One's own review: the comments that wait to be published, a summary, and the outcome. */
import { Anchor, Button, Collapse, Group, PasswordInput, Radio, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { approvalsOf } from '../../lib/approvals.ts';
import { counted } from '../../lib/counted.ts';
import { draftsOf, type ReviewOutcome, removeDraft, submitReview } from '../../lib/reviews.ts';
import { sessionQuery } from '../../lib/session.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { MarkdownEditor } from '../editor/MarkdownEditor.tsx';
import { level, useProject } from '../projects/useProject.ts';
import classes from './merge-requests.module.css';

type Request = Schemas['MergeRequestDetail'];

function Drafts({ iid, drafts }: { iid: number; drafts: readonly Schemas['DraftNote'][] }) {
  const { path } = useProject();
  const cache = useQueryClient();
  const removing = useMutation({
    mutationFn: (draft: number) => removeDraft(path, iid, draft),
    onSuccess: () => cache.invalidateQueries({ queryKey: draftsOf(path, iid).queryKey }),
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
              {note.length > 120 ? `${note.slice(0, 120)}…` : note}{' '}
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

export function ReviewBox({ request }: { request: Request }) {
  const { path, level: mine, project } = useProject();
  const { iid } = request;
  const cache = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const me = session?.user;
  const shown = me != null && request.state === 'opened' && !project.archived;
  const { data: drafts = [] } = useQuery({ ...draftsOf(path, iid), enabled: shown });
  const { data: approvals } = useQuery({ ...approvalsOf(path, iid), enabled: shown });
  const [open, setOpen] = useState(false);
  const [note, setNote] = useState('');
  const [password, setPassword] = useState('');
  const [outcome, setOutcome] = useState<ReviewOutcome>('reviewed');
  const sending = useForm(async () => {
    await submitReview(path, iid, { note, outcome, password, sha: request.sha });
    setNote('');
    setPassword('');
    setOutcome('reviewed');
    setOpen(false);
    await cache.invalidateQueries({ queryKey: ['project', path, 'merge-request', iid] });
  });
  if (!shown) return null;
  const mayApprove = approvals?.user_can_approve === true;
  const mayRequest = me.id !== request.author.id && (mine >= level.developer || mayApprove);
  const asks = outcome === 'approved' && approvals?.require_password_to_approve === true;
  const empty = outcome === 'reviewed' && drafts.length === 0 && note.trim() === '';
  return (
    <section className={classes.box} aria-label="Your review">
      <div className={classes.part}>
        <Button size="xs" variant="default" aria-expanded={open} onClick={() => setOpen(!open)}>
          Your review
        </Button>
        <span className={classes.dim}>
          {drafts.length === 0
            ? 'No pending comments'
            : `${counted(drafts.length, 'pending comment', 'pending comments')}, visible only to you`}
        </span>
      </div>
      <Collapse expanded={open}>
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
      </Collapse>
    </section>
  );
}
