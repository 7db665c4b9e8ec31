/** A field for a comment in Markdown, with a preview, sent with the button or Ctrl Enter. */
import { Button, Group, SegmentedControl, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { MarkdownPreview } from '../../ui/MarkdownBody.tsx';
import classes from './comments.module.css';
import { suggestionBlock } from './suggestions.ts';
import { usePlace } from './usePlace.ts';

interface Props {
  readonly label: string;
  readonly action: string;
  /** What is there already. */
  readonly text?: string;
  /** The lines that the comment is about, where other lines can be suggested in place of them. */
  readonly suggest?: readonly string[] | undefined;
  send(body: string): Promise<unknown>;
  /** Keeps it for the review instead, where there is one. */
  later?: ((body: string) => Promise<unknown>) | undefined;
  cancel?(): void;
}

export function CommentForm({ label, action, text = '', suggest, send, later, cancel }: Props) {
  const { kind, path } = usePlace();
  const [body, setBody] = useState(text);
  const [shown, setShown] = useState<'write' | 'preview'>('write');
  const field = useRef<HTMLTextAreaElement>(null);
  const begin = () => {
    setBody(text);
    setShown('write');
  };
  const sending = useForm(async () => {
    await send(body);
    begin();
  });
  const keeping = useMutation({
    mutationFn: async () => await later?.(body),
    onSuccess: begin,
  });
  return (
    <form {...sending.form} aria-label={label} className={classes.form}>
      <FormError error={sending.error ?? keeping.error} />
      <Group gap="xs" mb={4}>
        <SegmentedControl
          size="xs"
          aria-label="Text or preview"
          data={[
            { value: 'write', label: 'Write' },
            { value: 'preview', label: 'Preview' },
          ]}
          value={shown}
          onChange={(value) => setShown(value === 'preview' ? 'preview' : 'write')}
        />
        {suggest ? (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              setBody((before) => suggestionBlock(before, suggest));
              setShown('write');
              field.current?.focus();
            }}
          >
            Insert suggestion
          </Button>
        ) : null}
      </Group>
      {shown === 'preview' ? (
        <section aria-label="Preview" className={classes.preview}>
          <MarkdownPreview text={body} base={{ [kind]: path }} of={{ kind, path }} />
        </section>
      ) : (
        <Textarea
          ref={field}
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
