/** Webhooks of a project, a group or the instance: adding, changing, trying, removing, and what they were called with. */
import { Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeHook, createHook, type Hook, type HookPlace, hooksOf } from '../../lib/hooks.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { FormError } from '../../ui/FormError.tsx';
import { Modal } from '../../ui/Modal.tsx';
import { HookForm } from './HookForm.tsx';
import { HookRow } from './HookRow.tsx';
import classes from './hooks.module.css';

const reach = {
  project: 'URLs called when events occur in this project.',
  group: 'URLs called when events occur in this group, its subgroups and projects.',
  instance:
    'URLs called for events of all projects, groups, users, keys and members, and for the trigger events selected here. System hooks are never disabled.',
} as const;

export function HookManager({ place }: { place: HookPlace }) {
  const { data: hooks, error } = useQuery(hooksOf(place));
  const [edited, setEdited] = useState<Hook | null>(null);
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: place.key, exact: true });
  const leaving = useConfirmed(({ id }: Hook) => place.remove(id), again);
  return (
    <>
      <Text c="var(--mr-dim)" mb="md">
        {reach[place.noun]}
      </Text>
      <FormError error={error} />
      <Stack gap="lg">
        {hooks?.length === 0 ? <Text>No webhooks yet.</Text> : null}
        {hooks && hooks.length > 0 ? (
          <ul className={classes.hooks} aria-label="Webhooks">
            {hooks.map((hook) => (
              <HookRow
                key={hook.id}
                place={place}
                hook={hook}
                edit={() => setEdited(hook)}
                remove={() => leaving.ask(hook)}
              />
            ))}
          </ul>
        ) : null}
        <section aria-label="Add a webhook">
          <Title order={3} mb="sm">
            Add a webhook
          </Title>
          <HookForm
            place={place}
            action="Add webhook"
            send={async (values, secrets) => {
              await createHook(place, values, secrets);
              await again();
            }}
          />
        </section>
      </Stack>
      <Modal opened={edited !== null} onClose={() => setEdited(null)} title="Edit webhook">
        {edited ? (
          <HookForm
            place={place}
            hook={edited}
            action="Save webhook"
            send={async (values, secrets) => {
              await changeHook(place, edited, values, secrets);
              await again();
              setEdited(null);
            }}
          />
        ) : null}
      </Modal>
      <ConfirmName
        {...leaving.dialog}
        title="Delete webhook"
        text="It will no longer be called, and its recent deliveries are deleted."
        name={leaving.asked ? leaving.asked.name || leaving.asked.url : ''}
        action="Delete webhook"
      />
    </>
  );
}
