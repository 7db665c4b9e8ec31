/** One part of the sidebar: what it shows, and its form in the same place for those who may change it. */
import { Anchor, Button, Group } from '@mantine/core';
import { type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { FormError } from '../../../ui/FormError.tsx';
import { useForm } from '../../../ui/forms.ts';
import { useReturnedFocus } from '../../../ui/useReturnedFocus.ts';
import classes from './sidebar.module.css';

interface Props {
  readonly title: string;
  readonly children: ReactNode;
  /** The fields; left out for those who may not change it. */
  readonly fields?: ReactNode;
  /** Called before the fields are shown: they begin with what is there now. */
  begin?(): void;
  save?(): Promise<unknown>;
}

/** Stands with the fields, which are loaded when first shown: then the keyboard goes on in the first of them. */
function FocusFields({ form }: { form: RefObject<HTMLFormElement | null> }) {
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('input, textarea, select')?.focus();
  }, [form]);
  return null;
}

export function EditInPlace({ title, children, fields, begin, save }: Props) {
  const [editing, setEditing] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const edit = useReturnedFocus(editing);
  const sending = useForm(async () => {
    await save?.();
    setEditing(false);
  });
  return (
    <section className={classes.part} aria-label={title}>
      <div className={classes.title}>
        <h3>{title}</h3>
        {fields && !editing ? (
          <Anchor
            ref={edit}
            component="button"
            type="button"
            size="sm"
            aria-label={`Edit ${title.toLowerCase()}`}
            onClick={() => {
              begin?.();
              setEditing(true);
            }}
          >
            Edit
          </Anchor>
        ) : null}
      </div>
      {editing ? (
        <form {...sending.form} ref={form} aria-label={title}>
          <FormError error={sending.error} />
          <Suspense fallback={null}>
            {fields}
            <FocusFields form={form} />
          </Suspense>
          <Group gap="xs" mt="xs">
            <Button type="submit" size="compact-sm" loading={sending.pending}>
              Save
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => setEditing(false)}>
              Cancel
            </Button>
          </Group>
        </form>
      ) : (
        children
      )}
    </section>
  );
}
