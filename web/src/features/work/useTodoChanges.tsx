/** Marking to-dos as done and restoring them, with a way to undo the last change; the focus stays in the list. */
import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { counted } from '../../lib/counted.ts';
import { markTodoDone, markTodosDone, restoreTodos, type Todo, type TodoFilter, todosKey } from '../../lib/todos.ts';
import { FormError } from '../../ui/FormError.tsx';
import classes from './work.module.css';

interface TodoChanges {
  readonly pending: boolean;
  /** Says what was done last, and undoes it. */
  readonly bar: ReactNode;
  change(todo: Todo): void;
  markAll(filter: TodoFilter): void;
}

interface Done {
  readonly ids: readonly number[];
  /** They were pending, and are done now. */
  readonly marked: boolean;
}

/** `list` is the element around the rows. */
export function useTodoChanges(list: RefObject<HTMLElement | null>): TodoChanges {
  const cache = useQueryClient();
  const [last, setLast] = useState<Done | null>(null);
  const bar = useRef<HTMLDivElement>(null);
  const buttons = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-todo-action]') ?? [])];

  const making = useMutation({
    mutationFn: async (make: () => Promise<Done | null>) => {
      const place = buttons().indexOf(document.activeElement as HTMLElement);
      const next = await make();
      await cache.invalidateQueries({ queryKey: todosKey });
      setLast(next);
      return place;
    },
    onSuccess: (place) => {
      // The row has gone with its button: on to the one that took its place.
      requestAnimationFrame(() => {
        const left = buttons();
        const to = place < 0 ? undefined : left[Math.min(place, left.length - 1)];
        (to ?? bar.current?.querySelector('button'))?.focus();
      });
    },
  });
  return {
    pending: making.isPending,
    change: ({ id, state }) =>
      making.mutate(async () => {
        if (state === 'done') await restoreTodos([id]);
        else await markTodoDone(id);
        return { ids: [id], marked: state !== 'done' };
      }),
    markAll: (filter) =>
      making.mutate(async () => {
        const ids = await markTodosDone(filter);
        return ids.length > 0 ? { ids, marked: true } : null;
      }),
    bar: (
      <>
        <div ref={bar} role="status" className={classes.undo} data-empty={last === null || undefined}>
          {last ? (
            <Group gap="sm" wrap="nowrap">
              <span>
                {counted(last.ids.length, 'to-do', 'to-dos')} {last.marked ? 'marked as done' : 'restored'}
              </span>
              {last.marked ? (
                <Button
                  size="compact-xs"
                  variant="default"
                  loading={making.isPending}
                  onClick={() =>
                    making.mutate(async () => ({ ids: (await restoreTodos(last.ids)).ids, marked: false }))
                  }
                >
                  Undo
                </Button>
              ) : null}
            </Group>
          ) : null}
        </div>
        <FormError error={making.error} />
      </>
    ),
  };
}
