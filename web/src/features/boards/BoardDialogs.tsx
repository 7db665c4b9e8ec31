/** Dialogs of boards: name, columns and scope of one, deleting it, and another list. */
import { Button, Checkbox, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Board, type ListSubject, listChoices } from '../../lib/boards.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { BoardScopeFields, scopeOf } from './BoardScope.tsx';
import type { BoardsInView } from './useBoards.ts';

export function BoardDialog({
  of,
  board,
  close,
  saved,
}: {
  of: BoardsInView;
  board: Board | undefined;
  close(): void;
  saved(board: Board | undefined): Promise<unknown>;
}) {
  const [name, setName] = useState(board?.name ?? '');
  const [backlog, setBacklog] = useState(board?.hide_backlog_list !== true);
  const [closed, setClosed] = useState(board?.hide_closed_list !== true);
  const [scope, setScope] = useState(() => scopeOf(board));
  const form = useForm(async () => {
    const change = { ...scope, name, hide_backlog_list: !backlog, hide_closed_list: !closed };
    const made = board ?? (await of.boards.create(name));
    await saved(await of.boards.change(made.id, change));
  });
  const remove = useMutation({
    mutationFn: async () => {
      if (board) await of.boards.remove(board.id);
    },
    onSuccess: () => saved(undefined),
  });
  return (
    <Modal opened onClose={close} title={board ? 'Edit board' : 'New board'}>
      <form {...form.form}>
        <Stack gap="md">
          <FormError error={form.error ?? remove.error} />
          <TextInput
            label="Name"
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={form.reason('name')}
          />
          <Checkbox
            label={`Show open ${of.cards} that are in no list`}
            checked={backlog}
            onChange={(event) => setBacklog(event.currentTarget.checked)}
          />
          <Checkbox
            label={`Show closed ${of.cards}`}
            checked={closed}
            onChange={(event) => setClosed(event.currentTarget.checked)}
          />
          <BoardScopeFields of={of} board={board} scope={scope} change={setScope} reason={form.reason} />
          <Group justify="space-between">
            {board ? (
              <Button variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
                Delete board
              </Button>
            ) : (
              <span />
            )}
            <Button type="submit" loading={form.pending} disabled={name.trim() === ''}>
              {board ? 'Save changes' : 'Create board'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const types: readonly { readonly value: keyof ListSubject; readonly label: string }[] = [
  { value: 'label_id', label: 'Label' },
  { value: 'assignee_id', label: 'Assignee' },
  { value: 'milestone_id', label: 'Milestone' },
  { value: 'iteration_id', label: 'Iteration' },
];

export function AddList({
  of,
  board,
  close,
  added,
}: {
  of: BoardsInView;
  board: Board;
  close(): void;
  added(): Promise<unknown>;
}) {
  const [type, setType] = useState<keyof ListSubject>('label_id');
  const [value, setValue] = useState<string | null>(null);
  const { data = [], isPending, error } = useQuery(listChoices(of.kind, of.path, type));
  const form = useForm(async () => {
    await of.boards.addList(board.id, { [type]: Number(value) });
    await added();
  });
  const name = types.find((each) => each.value === type)?.label ?? '';
  return (
    <Modal opened onClose={close} title="Add list">
      <form {...form.form}>
        <Stack gap="md">
          <FormError error={form.error ?? error} />
          {of.cards === 'epics' ? null : (
            <Select
              label="List issues by"
              data={[...types]}
              value={type}
              allowDeselect={false}
              onChange={(next) => {
                setType(next as keyof ListSubject);
                setValue(null);
              }}
            />
          )}
          <Select
            label={name}
            placeholder={isPending ? 'Loading' : `Select a ${name.toLowerCase()}`}
            data={data}
            value={value}
            onChange={setValue}
            searchable
            nothingFoundMessage="No results"
            error={form.reason(type)}
          />
          <Group justify="flex-end">
            <Button type="submit" loading={form.pending} disabled={value === null}>
              Add list
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
