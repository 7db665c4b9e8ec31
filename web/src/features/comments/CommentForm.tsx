/** A field for a comment in Markdown, with a preview, sent with the button or Ctrl Enter. */
import { Button, Checkbox, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import type { CommandTarget } from '../editor/commands.ts';
import { MarkdownEditor } from '../editor/MarkdownEditor.tsx';
import classes from './comments.module.css';
import { suggestionBlock } from './suggestions.ts';
import { toldOf } from './told.ts';
import { usePlace } from './usePlace.ts';

interface Props {
  readonly label: string;
  readonly action: string;
  /** What quick actions act on; none where they are not applied. */
  readonly target?: CommandTarget | undefined;
  /** What is there already. */
  readonly text?: string;
  /** The lines that the comment is about, where other lines can be suggested in place of them. */
  readonly suggest?: readonly string[] | undefined;
  /** Whether the comment may be kept to members. */
  readonly internal?: boolean;
  send(body: string, internal: boolean): Promise<unknown>;
  /** Keeps it for the review instead, where there is one. */
  later?: ((body: string) => Promise<unknown>) | undefined;
  cancel?(): void;
}

export function CommentForm({ label, action, target, text = '', suggest, internal, send, later, cancel }: Props) {
  const { kind, path } = usePlace();
  const [body, setBody] = useState(text);
  const [round, setRound] = useState(0);
  const [kept, setKept] = useState(false);
  const [told, setTold] = useState('');
  const begin = () => {
    setBody(text);
    setKept(false);
    setRound(round + 1);
  };
  const sending = useForm(async () => {
    setTold('');
    setTold(toldOf(await send(body, kept)));
    begin();
  });
  const keeping = useMutation({
    mutationFn: async () => await later?.(body),
    onSuccess: begin,
  });
  return (
    <form {...sending.form} aria-label={label} className={classes.form}>
      <FormError error={sending.error ?? keeping.error} />
      <MarkdownEditor
        // A sent comment leaves an empty field, not a preview.
        key={round}
        label={label}
        name="body"
        rows={3}
        required
        autoFocus={cancel !== undefined}
        place={{ kind, path }}
        target={target}
        value={body}
        change={setBody}
        actions={(write) =>
          suggest ? (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => {
                setBody((before) => suggestionBlock(before, suggest));
                write();
              }}
            >
              Insert suggestion
            </Button>
          ) : null
        }
      />
      {internal ? (
        <Checkbox
          mt="sm"
          label="Internal comment"
          description="Visible to members with at least the Planner role"
          checked={kept}
          onChange={(event) => setKept(event.currentTarget.checked)}
        />
      ) : null}
      {told === '' ? null : (
        <p role="status" className={classes.told}>
          {told}
        </p>
      )}
      <Group mt="sm">
        <Button type="submit" loading={sending.pending} disabled={body.trim() === ''}>
          {action}
        </Button>
        {later ? (
          <Button
            variant="default"
            loading={keeping.isPending}
            disabled={body.trim() === '' || sending.pending}
            onClick={() => keeping.mutate()}
          >
            Add to review
          </Button>
        ) : null}
        {cancel ? (
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        ) : null}
      </Group>
    </form>
  );
}
