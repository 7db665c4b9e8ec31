/** What a webhook was called with in the last days: each call unfolds to the request and the answer. */
import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type CallStatus, callsKey, callsOf, type HookCall, type HookPlace } from '../../lib/hooks.ts';
import { FormError } from '../../ui/FormError.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import classes from './hooks.module.css';

const statuses = [
  { value: '', label: 'All deliveries' },
  { value: 'successful', label: 'Successful' },
  { value: 'client_failure', label: 'Refused (4xx)' },
  { value: 'server_failure', label: 'Failed (5xx)' },
];

const lines = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

function Block({ title, text }: { title: string; text: string }) {
  return (
    <>
      <h5>{title}</h5>
      {text === '' ? (
        <Text c="var(--mr-dim)" size="sm">
          Empty
        </Text>
      ) : (
        // Long ones scroll inside, so the keyboard must reach them.
        <pre tabIndex={0}>{text}</pre>
      )}
    </>
  );
}

interface CallProps {
  readonly call: HookCall;
  readonly pending: boolean;
  again(): void;
}

function Call({ call, pending, again }: CallProps) {
  const [open, setOpen] = useState(false);
  const fine = /^2\d\d$/.test(call.response_status);
  const Arrow = open ? IconChevronDown : IconChevronRight;
  const Icon = fine ? IconCircleCheck : IconCircleX;
  return (
    <li>
      <button type="button" className={classes.call} aria-expanded={open} onClick={() => setOpen(!open)}>
        <Arrow size={16} aria-hidden />
        <span className={classes.tone} data-tone={fine ? 'success' : 'failed'}>
          <Icon size={16} aria-hidden /> {call.response_status}
        </span>
        <span className={classes.trigger}>{call.trigger.replaceAll('_', ' ')}</span>
        <span className={classes.dim}>{Math.round(call.execution_duration * 1000)} ms</span>
        <span className={classes.dim}>
          <TimeAgo at={call.created_at} />
        </span>
      </button>
      {open ? (
        <div className={classes.detail}>
          <Group justify="space-between">
            <span className={classes.dim}>
              {new Date(call.created_at).toLocaleString()} to {call.url}
            </span>
            <Button size="xs" variant="default" loading={pending} onClick={again}>
              Send again
            </Button>
          </Group>
          <Block title="Request headers" text={lines(call.request_headers)} />
          <Block title="Request body" text={JSON.stringify(call.request_data, null, 2)} />
          <Block title="Response headers" text={lines(call.response_headers)} />
          <Block title="Response body" text={call.response_body ?? ''} />
        </div>
      ) : null}
    </li>
  );
}

export function CallLog({ place, hook }: { place: HookPlace; hook: number }) {
  const [status, setStatus] = useState<CallStatus>('');
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    callsOf(place, hook, status),
  );
  const cache = useQueryClient();
  const again = useMutation({
    mutationFn: (call: number) => place.resend(hook, call),
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: callsKey(place, hook) }),
        cache.invalidateQueries({ queryKey: place.key, exact: true }),
      ]),
  });
  const calls = data?.pages.flatMap((page) => page.items);
  return (
    <div className={classes.log}>
      <NativeSelect
        size="xs"
        maw={200}
        aria-label="Status"
        data={statuses}
        value={status}
        onChange={(event) => setStatus(event.currentTarget.value as CallStatus)}
      />
      <FormError error={error ?? again.error} />
      <output>{again.data ? `Resent; the response was ${again.data.response_status}.` : ''}</output>
      {calls?.length === 0 ? <Text c="var(--mr-dim)">No deliveries in the last 7 days.</Text> : null}
      {calls && calls.length > 0 ? (
        <ul className={classes.calls} aria-label="Calls">
          {calls.map((call) => (
            <Call
              key={call.id}
              call={call}
              pending={again.isPending && again.variables === call.id}
              again={() => again.mutate(call.id)}
            />
          ))}
        </ul>
      ) : null}
      <ShowMore more={hasNextPage} pending={isFetchingNextPage} show={fetchNextPage} />
    </div>
  );
}
