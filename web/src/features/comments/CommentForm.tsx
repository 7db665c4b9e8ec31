/** A field for a comment in Markdown, sent with the button or Ctrl Enter. */
import { Button, Group, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import classes from './comments.module.css';

interface Props {
  readonly label: string;
  readonly action: string;
  /** What is there already. */
  readonly text?: string;
  send(body: string): Promise<unknown>;
  /** Keeps it for the review instead, where there is one. */
  later?: ((body: string) => Promise<unknown>) | undefined;
  cancel?(): void;
}

export function CommentForm({ label, action, text = '', send, later, cancel }: Props) {
  const [body, setBody] = useState(text);
  const sending = useForm(async () => {
    await send(body);
    setBody(text);
  });
  const keeping = useMutation({
    mutationFn: async () => await later?.(body),
    onSuccess: () => setBody(text),
  });
  return (
    <form {...sending.form} aria-label={label} className={classes.form}>
      <FormError error={sending.error ?? keeping.error} />
      <Textarea
        label={label}
        description="Markdown"
        name="body"
        autosize
        minRows={3}
        required
        autoFocus={cancel !== undefined}
        value={body}
        onChange={(event) => setBody(event.currentTarget.value)}
      />
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
