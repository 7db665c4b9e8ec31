/** A comment that its author publishes with the review: on its line or in its thread, and nobody else sees it. */
import { Anchor, Badge } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type DraftNote, editDraft, removeDraft } from '../../lib/reviews.ts';
import { FormError } from '../../ui/FormError.tsx';
import { PreviewOnDemand } from '../../ui/MarkdownOnDemand.tsx';
import { useReturnedFocus } from '../../ui/useReturnedFocus.ts';
import { CommentFormOnDemand } from './CommentFormOnDemand.tsx';
import classes from './comments.module.css';
import { usePlace } from './usePlace.ts';

interface Props {
  readonly iid: number;
  readonly draft: DraftNote;
  again(): Promise<unknown>;
}

export default function PendingComment({ iid, draft, again }: Props) {
  const { kind, path } = usePlace();
  const [changing, setChanging] = useState(false);
  const edit = useReturnedFocus(changing);
  const removing = useMutation({ mutationFn: () => removeDraft(path, iid, draft.id), onSuccess: again });
  return (
    <article className={classes.pending} aria-label="Pending comment">
      <div className={classes.who}>
        <Badge size="sm" variant="light" color="yellow">
          Pending
        </Badge>
        <span>Visible only to you</span>
        {changing ? null : (
          <span className={classes.actions}>
            <Anchor ref={edit} component="button" type="button" size="sm" onClick={() => setChanging(true)}>
              Edit
            </Anchor>
            <Anchor component="button" type="button" size="sm" onClick={() => removing.mutate()}>
              Delete
            </Anchor>
          </span>
        )}
      </div>
      <FormError error={removing.error} />
      {changing ? (
        <CommentFormOnDemand
          label="Pending comment"
          action="Save"
          text={draft.note}
          send={async (note) => {
            await editDraft(path, iid, draft.id, note);
            await again();
            setChanging(false);
          }}
          cancel={() => setChanging(false)}
        />
      ) : (
        <PreviewOnDemand text={draft.note} base={{ project: path }} of={{ kind, path }} />
      )}
    </article>
  );
}
