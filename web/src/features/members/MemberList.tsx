/** Everybody with a role, page by page; what is changed of one, or of several at once. */
import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { MemberFilter } from '../../lib/member-filter.ts';
import { type Member, type MemberSource, membersOf } from '../../lib/members.ts';
import { type Confirmed, useConfirmed } from '../../ui/confirmed.ts';
import { DataList } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Modal } from '../../ui/Modal.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { BulkBar } from './BulkBar.tsx';
import { MemberRow } from './MemberRow.tsx';
import classes from './members.module.css';

interface Props {
  readonly source: MemberSource;
  readonly filter: MemberFilter;
  readonly manages: boolean;
  readonly topLevel: boolean;
  readonly changed: () => Promise<unknown>;
}

/** Does the same with each; those that are refused are named with the reason. */
async function each(members: readonly Member[], act: (member: Member) => Promise<unknown>): Promise<void> {
  const refused: string[] = [];
  for (const member of members)
    await act(member).catch((error: Error) => refused.push(`${member.name}: ${error.message}`));
  if (refused.length > 0) throw new Error(refused.join('; '));
}

function AskRemoval({ asked, dialog }: Pick<Confirmed<readonly Member[]>, 'asked' | 'dialog'>) {
  const leaving = asked ?? [];
  const who = leaving.map(({ name }) => name).join(', ');
  return (
    <Modal
      opened={dialog.opened}
      onClose={dialog.close}
      title={leaving.length === 1 ? 'Remove member' : 'Remove members'}
    >
      <Stack gap="md">
        <FormError error={dialog.error} />
        <Text>
          {who} {leaving.length === 1 ? 'loses' : 'lose'} the access that this membership gives, including to subgroups
          and projects.
        </Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={dialog.close}>
            Cancel
          </Button>
          <Button color="red" loading={dialog.pending} onClick={dialog.confirm}>
            Remove
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

export function MemberList({ source, filter, manages, topLevel, changed }: Props) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...membersOf(source, filter),
    placeholderData: (before) => before,
  });
  const members = data?.pages.flatMap(({ items }) => items) ?? [];
  const total = data?.pages[0]?.total ?? null;
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const own = members.filter((member) => member.source?.kind === 'direct');
  const selected = own.filter(({ id }) => chosen.has(id));
  const change = useMutation({
    mutationFn: ({ of, ...terms }: { of: readonly Member[]; access_level?: number; expires_at?: string | null }) =>
      each(of, (member) => source.change(member.id, { access_level: member.access_level, ...terms })),
    onSettled: changed,
  });
  // Some may be gone where others were refused.
  const leaving = useConfirmed((of: readonly Member[]) => each(of, ({ id }) => source.remove(id)).finally(changed));
  const actions = {
    change: (member: Member, terms: { access_level: number; expires_at?: string | null }) =>
      change.mutate({ of: [member], ...terms }),
    remove: (member: Member) => leaving.ask([member]),
  };
  if (data && members.length === 0)
    return <EmptyState title="No members match your filter">Try removing a filter.</EmptyState>;
  return (
    <>
      <FormError error={error ?? change.error} />
      {manages && selected.length > 0 ? (
        <BulkBar
          count={selected.length}
          topLevel={topLevel}
          pending={change.isPending}
          setLevel={(access_level) => change.mutate({ of: selected, access_level })}
          setEnd={(expires_at) => change.mutate({ of: selected, expires_at })}
          remove={() => leaving.ask(selected)}
          clear={() => setChosen(new Set())}
        />
      ) : data ? (
        <div className={classes.bulk}>
          {manages ? (
            <Checkbox
              size="xs"
              label="Select all shown"
              disabled={own.length === 0}
              checked={false}
              onChange={() => setChosen(new Set(own.map(({ id }) => id)))}
            />
          ) : null}
          <Text size="xs" c="var(--mr-dim)">
            {total === null ? 'More than 10,000 members' : total === 1 ? '1 member' : `${total} members`}
          </Text>
        </div>
      ) : null}
      <DataList label="Members">
        {members.map((member) => (
          <MemberRow
            key={member.id}
            member={member}
            manages={manages}
            topLevel={topLevel}
            selected={chosen.has(member.id)}
            select={(on) => {
              const next = new Set(chosen);
              if (on) next.add(member.id);
              else next.delete(member.id);
              setChosen(next);
            }}
            actions={actions}
          />
        ))}
      </DataList>
      <ShowMore more={hasNextPage} pending={isFetchingNextPage} show={fetchNextPage} />
      <AskRemoval {...leaving} />
    </>
  );
}
