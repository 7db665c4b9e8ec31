/** Finishing one's review beside the changes: the dialog is loaded when it is opened. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../lib/api.ts';
import { counted } from '../../../lib/counted.ts';
import { sessionQuery } from '../../../lib/session.ts';
import { DialogOnDemand, onDemand } from '../../../ui/onDemand.tsx';
import { useProject } from '../../projects/useProject.ts';
import classes from './changes.module.css';

type Request = Schemas['MergeRequestDetail'];

const dialog = onDemand(() => import('./ReviewDialog.tsx'));

export function ReviewButton({ request, label }: { request: Request; label: string }) {
  const { project } = useProject();
  const { data: session } = useQuery(sessionQuery);
  const [opened, setOpened] = useState(false);
  const me = session?.user;
  if (!me || request.state !== 'opened' || project.archived) return null;
  return (
    <span className={classes.review}>
      <Button size="xs" onPointerEnter={dialog.fetchEarly} onFocus={dialog.fetchEarly} onClick={() => setOpened(true)}>
        {label}
      </Button>
      <DialogOnDemand of={dialog} props={{ request, ownId: me.id, opened, close: () => setOpened(false) }} />
    </span>
  );
}

/** Stays in sight while pending comments wait. */
export function PendingBar({ request, count }: { request: Request; count: number }) {
  if (count === 0) return null;
  return (
    <div className={classes.pending}>
      <span>{counted(count, 'pending comment', 'pending comments')}, visible only to you</span>
      <ReviewButton request={request} label="Finish review" />
    </div>
  );
}
