/** One's own review: the comments that wait to be published, a summary, and the outcome. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { approvalsOf } from '../../lib/approvals.ts';
import { counted } from '../../lib/counted.ts';
import { sessionQuery } from '../../lib/session.ts';
import { onDemand } from '../../ui/onDemand.tsx';
import { useDrafts } from '../comments/useDrafts.ts';
import { useProject } from '../projects/useProject.ts';
import classes from './merge-requests.module.css';

type Request = Schemas['MergeRequestDetail'];

const form = onDemand(() => import('./ReviewForm.tsx'));

export function ReviewBox({ request }: { request: Request }) {
  const { path, project } = useProject();
  const { iid } = request;
  const { data: session } = useQuery(sessionQuery);
  const me = session?.user;
  const shown = me != null && request.state === 'opened' && !project.archived;
  const { drafts } = useDrafts(path, iid, shown ? (request.counts?.pending_comments ?? 0) : 0);
  const { data: approvals } = useQuery({ ...approvalsOf(path, iid), enabled: shown });
  const [open, setOpen] = useState(false);
  // What was typed stays when the form is closed.
  const [wanted, setWanted] = useState(false);
  if (!shown) return null;
  const toggle = () => {
    setWanted(true);
    setOpen(!open);
  };
  return (
    <section className={classes.box} aria-label="Your review">
      <div className={classes.part}>
        <Button
          size="xs"
          variant="default"
          aria-expanded={open}
          onPointerEnter={form.fetchEarly}
          onFocus={form.fetchEarly}
          onClick={toggle}
        >
          Your review
        </Button>
        <span className={classes.dim}>
          {drafts.length === 0
            ? 'No pending comments'
            : `${counted(drafts.length, 'pending comment', 'pending comments')}, visible only to you`}
        </span>
      </div>
      <div hidden={!open}>
        <Suspense fallback={null}>
          {wanted ? (
            <form.Component
              request={request}
              drafts={drafts}
              mayApprove={approvals?.user_can_approve === true}
              passwordRequired={approvals?.require_password_to_approve === true}
              ownId={me.id}
              submitted={() => setOpen(false)}
            />
          ) : null}
        </Suspense>
      </div>
    </section>
  );
}
