/** A to-do in a list: what it is about, why it was added, and marking it as done or restoring it. */
import { Button } from '@mantine/core';
import { type Todo, todoReasons } from '../../lib/todos.ts';
import { DataRow } from '../../ui/DataList.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';

interface Props {
  readonly todo: Todo;
  readonly pending: boolean;
  /** Marks it as done, or restores one that is done. */
  change(todo: Todo): void;
}

const pathOf = (address: string) => {
  const { pathname, hash } = new URL(address);
  return pathname + hash;
};

export function TodoRow({ todo, pending, change }: Props) {
  const action = todo.state === 'done' ? 'Restore' : 'Mark as done';
  return (
    <DataRow
      title={
        <a href={pathOf(todo.target_url)} data-entry>
          {todo.body}
        </a>
      }
      meta={
        <>
          {todo.project ? <span>{todo.project.name_with_namespace}</span> : null}
          <span>
            {todoReasons[todo.action_name]?.row ?? todo.action_name} {todo.author.name}
          </span>
        </>
      }
      after={
        <>
          <TimeAgo at={todo.created_at} />
          <Button
            size="compact-xs"
            variant="default"
            disabled={pending}
            aria-label={`${action}: ${todo.body}`}
            data-todo-action
            onClick={() => change(todo)}
          >
            {action}
          </Button>
        </>
      }
    />
  );
}
