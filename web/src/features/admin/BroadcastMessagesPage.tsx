/** Broadcast messages, for administrators: what is shown now, later and before. */
import { Button, Checkbox, Group, Stack, Textarea } from '@mantine/core';
import { useQueryClient, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { type BroadcastMessage, broadcastMessages } from '../../lib/broadcast-messages.ts';
import { sessionQuery } from '../../lib/session.ts';
import { MultiSelect, Select } from '../../ui/Choices.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FormActions } from '../../ui/FormActions.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Modal } from '../../ui/Modal.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { TextField, useFields } from '../../ui/TextField.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { AdminFrame } from './AdminFrame.tsx';

const themes = [
  ...(['indigo', 'light-indigo', 'blue', 'light-blue', 'green'] as const),
  ...(['light-green', 'red', 'light-red', 'dark', 'light'] as const),
];
const roles = [
  ['10', 'Guest'],
  ['15', 'Planner'],
  ['20', 'Reporter'],
  ['30', 'Developer'],
  ['40', 'Maintainer'],
  ['50', 'Owner'],
].map(([value = '', label = '']) => ({ value, label }));

/** A time as the field of the browser has it, in the zone of whoever looks. */
function localTime(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

interface FormProps {
  readonly message: BroadcastMessage | null;
  saved(): Promise<unknown>;
  cancel(): void;
}

function MessageForm({ message, saved, cancel }: FormProps) {
  const [now] = useState(Date.now);
  const fields = useFields({
    message: message?.message ?? '',
    starts_at: localTime(new Date(message?.starts_at ?? now)),
    ends_at: localTime(new Date(message?.ends_at ?? now + 3_600_000)),
    target_path: message?.target_path ?? '',
    broadcast_type: message?.broadcast_type ?? ('banner' as const),
    theme: message?.theme ?? ('indigo' as const),
    dismissable: message?.dismissable ?? false,
    roles: (message?.target_access_levels ?? []).map(String),
  });
  const { values, set } = fields;
  const sending = useForm(async () => {
    const { roles: levels, starts_at, ends_at, ...rest } = values;
    const body = {
      ...rest,
      starts_at: new Date(starts_at).toISOString(),
      ends_at: new Date(ends_at).toISOString(),
      target_access_levels: levels.map(Number) as BroadcastMessage['target_access_levels'] as (
        | 10
        | 15
        | 20
        | 30
        | 40
        | 50
      )[],
    };
    const params = { path: { id: message?.id ?? 0 } };
    await unwrap(
      message ? client.PUT('/broadcast_messages/{id}', { params, body }) : client.POST('/broadcast_messages', { body }),
    );
    await saved();
  });
  const { reason } = sending;
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        <Textarea
          name="message"
          label="Message"
          description="Links as [words](https://...)"
          required
          autosize
          minRows={2}
          value={values.message}
          error={reason('message')}
          onChange={({ currentTarget }) => set('message', currentTarget.value)}
        />
        <Select
          label="Type"
          allowDeselect={false}
          data={[
            { value: 'banner', label: 'Banner above every page' },
            { value: 'notification', label: 'Notification in the corner' },
          ]}
          value={values.broadcast_type}
          onChange={(value) => set('broadcast_type', value === 'notification' ? 'notification' : 'banner')}
        />
        {values.broadcast_type === 'banner' ? (
          <Select
            label="Theme"
            allowDeselect={false}
            data={themes}
            value={values.theme}
            onChange={(value) => set('theme', themes.find((each) => each === value) ?? 'indigo')}
          />
        ) : null}
        <Group grow>
          <TextField of={fields} reason={reason} name="starts_at" label="Starts" type="datetime-local" required />
          <TextField of={fields} reason={reason} name="ends_at" label="Ends" type="datetime-local" required />
        </Group>
        <TextField
          of={fields}
          reason={reason}
          name="target_path"
          label="Path"
          description="Leave empty for all pages. * matches anything: /group/*"
          autoComplete="off"
        />
        <MultiSelect
          label="Roles"
          description="Leave empty for everybody"
          data={roles}
          value={values.roles}
          onChange={(value) => set('roles', value)}
        />
        <Checkbox
          label="Can be dismissed"
          checked={values.dismissable}
          onChange={({ currentTarget }) => set('dismissable', currentTarget.checked)}
        />
        <FormActions action={message ? 'Save message' : 'Create message'} pending={sending.pending} cancel={cancel} />
      </Stack>
    </form>
  );
}

export default function BroadcastMessagesPage() {
  const cache = useQueryClient();
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery(broadcastMessages());
  const [open, setOpen] = useState<BroadcastMessage | 'new' | null>(null);
  const again = async () => {
    await cache.invalidateQueries({ queryKey: sessionQuery.queryKey });
    await cache.invalidateQueries({ queryKey: ['broadcast-messages'] });
  };
  const saved = async () => {
    await again();
    setOpen(null);
  };
  const removing = useConfirmed(
    ({ id }: BroadcastMessage) => unwrap(client.DELETE('/broadcast_messages/{id}', { params: { path: { id } } })),
    again,
  );
  const found = data.pages.flatMap(({ items }) => items);
  return (
    <AdminFrame
      title="Broadcast messages"
      wide
      actions={
        <Button size="xs" onClick={() => setOpen('new')}>
          New message
        </Button>
      }
    >
      {found.length === 0 ? (
        <EmptyState title="No messages yet">
          Announce maintenance or news to everybody who uses this instance.
        </EmptyState>
      ) : (
        <DataList label="Messages">
          {found.map((message) => (
            <DataRow
              key={message.id}
              title={message.message}
              meta={
                <>
                  <span>
                    {message.active ? 'Active' : Date.parse(message.starts_at) > Date.now() ? 'Scheduled' : 'Expired'}
                  </span>
                  <span>{message.broadcast_type === 'banner' ? 'Banner' : 'Notification'}</span>
                  <span>
                    from <TimeAgo at={message.starts_at} />, until <TimeAgo at={message.ends_at} />
                  </span>
                  {message.target_path === null ? null : <code>{message.target_path}</code>}
                </>
              }
              after={
                <Group gap="xs">
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Edit message ${message.id}`}
                    onClick={() => setOpen(message)}
                  >
                    Edit
                  </Button>
                  <Button
                    size="xs"
                    variant="subtle"
                    color="red"
                    aria-label={`Delete message ${message.id}`}
                    onClick={() => removing.ask(message)}
                  >
                    Delete
                  </Button>
                </Group>
              }
            />
          ))}
        </DataList>
      )}
      <ShowMore more={hasNextPage} pending={isFetchingNextPage} show={fetchNextPage} />
      <Modal
        opened={open !== null}
        onClose={() => setOpen(null)}
        title={open === 'new' ? 'New message' : 'Edit message'}
      >
        {open === null ? null : (
          <MessageForm message={open === 'new' ? null : open} saved={saved} cancel={() => setOpen(null)} />
        )}
      </Modal>
      <ConfirmDialog
        {...removing.dialog}
        title="Delete message"
        text="The message is no longer shown."
        action="Delete message"
      />
    </AdminFrame>
  );
}
