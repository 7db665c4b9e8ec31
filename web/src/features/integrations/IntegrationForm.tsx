/** The settings of one integration, made of its definition. */
import { Button, Group, Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type Integration,
  type IntegrationBody,
  type IntegrationKind,
  type IntegrationPlace,
  integrationOf,
} from '../../lib/integrations.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { type FieldValue, IntegrationInput } from './IntegrationInput.tsx';

interface FormProps {
  readonly place: IntegrationPlace;
  readonly kind: IntegrationKind;
  close(): void;
}

const wordsOf = (event: string) => event.replace(/_events$/, '').replaceAll('_', ' ');

/** What the API takes of a field: secrets that were left empty stay as they are. */
function bodyOf(kind: IntegrationKind, values: Readonly<Record<string, FieldValue>>): IntegrationBody {
  const body: IntegrationBody = {};
  for (const { name, type, secret } of kind.fields) {
    const value = values[name];
    if (value === undefined || (secret && value === '')) continue;
    if (type === 'number') body[name] = value === '' ? null : Number(value);
    else if (type === 'list')
      body[name] = String(value)
        .split(/[\s,]+/)
        .filter((word) => word !== '');
    else body[name] = value === '' ? null : value;
  }
  return body;
}

function Fields({ place, kind, close, found }: FormProps & { found: Integration | null }) {
  const cache = useQueryClient();
  const [values, setValues] = useState<Record<string, FieldValue>>(() =>
    Object.fromEntries(
      kind.fields.map(({ name, type, default: usual }) => {
        const kept = found?.properties[name];
        // A flag that nobody set is what it is without the form: saving it must not switch off checks of certificates.
        if (type === 'flag') return [name, (kept ?? usual) === true];
        return [name, Array.isArray(kept) ? kept.join(', ') : kept === undefined || kept === null ? '' : String(kept)];
      }),
    ),
  );
  const [events, setEvents] = useState<Record<string, boolean>>(() =>
    Object.fromEntries(kind.events.map((event) => [event, found ? found[event as 'push_events'] : true])),
  );
  const again = () => cache.invalidateQueries({ queryKey: place.key });
  const sending = useForm(async () => {
    await place.save(kind.slug, { ...bodyOf(kind, values), ...events, active: true });
    await again();
    close();
  });
  const testing = useMutation({ mutationFn: () => place.test?.(kind.slug) ?? Promise.resolve({ message: '' }) });
  const leaving = useConfirmed(async () => {
    await place.disable(kind.slug);
    await again();
    close();
  });
  const own = found !== null && !found.inherited && found.active;
  return (
    <form {...sending.form} aria-label={kind.title}>
      <Stack gap="md">
        <FormError error={sending.error ?? testing.error} />
        {found?.inherited && found.active ? (
          <Text>The settings of a group above or of the instance are used. Saving this form replaces them here.</Text>
        ) : null}
        {kind.fields.map((field) => (
          <IntegrationInput
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            kept={own}
            error={sending.reason(field.name)}
            change={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
        {kind.events.length > 0 ? (
          <fieldset>
            <legend>Events</legend>
            <Stack gap="xs">
              {kind.events.map((event) => (
                <Switch
                  key={event}
                  label={wordsOf(event)}
                  checked={events[event] ?? false}
                  onChange={({ currentTarget: { checked } }) =>
                    setEvents((before) => ({ ...before, [event]: checked }))
                  }
                />
              ))}
            </Stack>
          </fieldset>
        ) : null}
        <Group gap="sm">
          <Button type="submit" loading={sending.pending}>
            Save integration
          </Button>
          {place.test && found?.active && kind.acts ? (
            <Button variant="default" loading={testing.isPending} onClick={() => testing.mutate()}>
              Test
            </Button>
          ) : null}
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          {found?.active ? (
            <Button variant="subtle" color="red" onClick={() => leaving.ask(undefined)}>
              Disable
            </Button>
          ) : null}
        </Group>
        {testing.data ? <Text role="status">{testing.data.message}</Text> : null}
      </Stack>
      <ConfirmDialog
        {...leaving.dialog}
        title={`Disable ${kind.title}`}
        text="Its settings are deleted here, secrets included."
        action="Disable integration"
      />
    </form>
  );
}

export function IntegrationForm(props: FormProps) {
  const { data: found, error } = useQuery(integrationOf(props.place, props.kind.slug));
  return (
    <>
      <h3>{props.kind.title}</h3>
      <FormError error={error} />
      {found === undefined ? null : <Fields {...props} found={found} />}
    </>
  );
}
