/** One webhook: where it goes, whether it is called, trying it, and its recent calls. */
import { ActionIcon, Alert, Button } from '@mantine/core';
import { IconChevronDown, IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callsKey, eventWords, type Hook, type HookEventName, type HookPlace, isOn } from '../../lib/hooks.ts';
import { FormError } from '../../ui/FormError.tsx';
import { MenuOnDemand, onDemand } from '../../ui/onDemand.tsx';
import { CallLog } from './CallLog.tsx';
import { HookState } from './HookState.tsx';
import classes from './hooks.module.css';

interface HookRowProps {
  readonly place: HookPlace;
  readonly hook: Hook;
  edit(): void;
  remove(): void;
}

const testMenu = onDemand(() => import('./TestMenu.tsx'));

const action = { variant: 'subtle', color: 'gray', size: 30 } as const;

export function HookRow({ place, hook, edit, remove }: HookRowProps) {
  const [open, setOpen] = useState(false);
  const cache = useQueryClient();
  const test = useMutation({
    mutationFn: (trigger: HookEventName) => place.test(hook.id, trigger),
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: callsKey(place, hook.id) }),
        cache.invalidateQueries({ queryKey: place.key, exact: true }),
      ]),
  });
  const title = hook.name || hook.url;
  const told = place.events.filter((event) => isOn(hook, event)).map((event) => eventWords[event]);
  // The instance has one sample for all its hooks.
  const samples: ReadonlyArray<readonly [HookEventName, string]> =
    place.noun === 'instance'
      ? [['project_events', 'A project is made']]
      : place.events.map((event) => [event, eventWords[event]] as const);
  return (
    <li className={classes.hook}>
      <div className={classes.head}>
        <div className={classes.grow}>
          <div className={classes.title}>{title}</div>
          <div className={classes.meta}>
            <HookState hook={hook} />
            {hook.name ? <span className={classes.address}>{hook.url}</span> : null}
            <span>{told.length > 0 ? told.join(', ') : 'No events selected'}</span>
            {hook.enable_ssl_verification ? null : <span>SSL verification is off</span>}
          </div>
        </div>
        <div className={classes.actions}>
          <MenuOnDemand
            of={testMenu}
            props={{ samples, test: test.mutate }}
            target={
              <Button
                size="xs"
                variant="default"
                loading={test.isPending}
                rightSection={<IconChevronDown size={14} aria-hidden />}
                aria-label={`Test ${title}`}
              >
                Test
              </Button>
            }
          />
          <ActionIcon {...action} aria-label={`Edit ${title}`} onClick={edit}>
            <IconPencil size={16} />
          </ActionIcon>
          <ActionIcon {...action} aria-label={`Remove ${title}`} onClick={remove}>
            <IconTrash size={16} />
          </ActionIcon>
        </div>
      </div>
      <FormError error={test.error} />
      {test.data ? (
        <Alert color="green" variant="light" role="status" mb="sm">
          {test.data}
        </Alert>
      ) : null}
      <Button
        size="compact-xs"
        mih={24}
        variant="subtle"
        aria-expanded={open}
        aria-label={`Recent deliveries of ${title}`}
        onClick={() => setOpen(!open)}
      >
        Recent deliveries
      </Button>
      {open ? <CallLog place={place} hook={hook.id} /> : null}
    </li>
  );
}
