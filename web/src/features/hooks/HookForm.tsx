/** Adding a webhook, or changing one. Its secrets are written and never shown. */
import { Button, Checkbox, Group, NativeSelect, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import {
  branchStrategies,
  eventWords,
  type Hook,
  type HookPlace,
  type HookSecrets,
  type HookValues,
  isOn,
  pairsOf,
} from '../../lib/hooks.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { TextField, useFields } from '../../ui/TextField.tsx';
import { HookPairs } from './HookPairs.tsx';
import classes from './hooks.module.css';

interface HookFormProps {
  readonly place: HookPlace;
  /** What is changed; without it a new one. */
  readonly hook?: Hook;
  readonly action: string;
  send(values: HookValues, secrets: HookSecrets): Promise<unknown>;
}

/** On in a new one, as over the API. */
const usual = { project: 'push_events', group: 'push_events', instance: 'repository_update_events' } as const;
const shown = ['url', 'name', 'description', 'token', 'push_events_branch_filter', 'custom_webhook_template'];

/** What a hook says now; hooks of the instance have less. */
const valuesOf = (hook: Hook | undefined) => {
  const more = hook && 'custom_webhook_template' in hook ? hook : undefined;
  return {
    url: hook?.url ?? '',
    name: hook?.name ?? '',
    description: hook?.description ?? '',
    token: '',
    branch_filter_strategy: hook?.branch_filter_strategy ?? 'wildcard',
    push_events_branch_filter: hook?.push_events_branch_filter ?? '',
    custom_webhook_template: more?.custom_webhook_template ?? '',
  };
};

export function HookForm({ place, hook, action, send }: HookFormProps) {
  const before = () => place.events.filter((event) => (hook ? isOn(hook, event) : event === usual[place.noun]));
  const fields = useFields(valuesOf(hook));
  const [events, setEvents] = useState(before);
  const [verify, setVerify] = useState(hook?.enable_ssl_verification ?? true);
  const [headers, setHeaders] = useState(() => pairsOf(hook, 'custom_headers'));
  const [variables, setVariables] = useState(() => pairsOf(hook, 'url_variables'));
  const { values } = fields;
  const whole = place.setPart !== null;
  const sending = useForm(async () => {
    const { url, name, description, token, branch_filter_strategy: strategy } = values;
    const matched = {
      branch_filter_strategy: strategy as HookValues['branch_filter_strategy'],
      push_events_branch_filter: strategy === 'all_branches' ? null : values.push_events_branch_filter || null,
    };
    await send(
      {
        ...{ url, name, description },
        ...(token === '' ? {} : { token }),
        enable_ssl_verification: verify,
        ...Object.fromEntries(place.events.map((event) => [event, events.includes(event)])),
        ...matched,
        ...(whole ? { custom_webhook_template: values.custom_webhook_template || null } : {}),
      },
      { custom_headers: headers, url_variables: variables },
    );
    if (hook) return;
    fields.replace(valuesOf(undefined));
    setEvents(before());
    setVerify(true);
    setHeaders([]);
    setVariables([]);
  });
  const { reason } = sending;
  return (
    <form {...sending.form} aria-label={action}>
      <FormError error={shown.some(reason) ? null : sending.error} />
      <Stack gap="md">
        <TextField
          of={fields}
          reason={reason}
          name="url"
          label="URL"
          description={`An http or https URL.${hook && variables.length > 0 ? ' If you change it, enter the values of its masked parts again.' : ''}`}
          required
          autoComplete="off"
        />
        {whole ? (
          <HookPairs
            legend="Masked parts of the URL"
            help="{name} in the URL is replaced by the value, which is never shown."
            noun="masked part"
            pairs={variables}
            change={setVariables}
          />
        ) : null}
        <TextField of={fields} reason={reason} name="name" label="Name" maxLength={255} autoComplete="off" />
        <TextField
          of={fields}
          reason={reason}
          name="description"
          label="Description"
          maxLength={2048}
          autoComplete="off"
        />
        <PasswordField
          of={fields}
          reason={reason}
          name="token"
          label="Secret"
          description={hook ? 'Leave empty to keep the current token' : 'Sent with each event as X-Gitlab-Token'}
          autoComplete="new-password"
        />
        <fieldset className={classes.events}>
          <legend>Trigger events</legend>
          {place.events.map((event) => (
            <Checkbox
              key={event}
              label={eventWords[event]}
              checked={events.includes(event)}
              onChange={({ currentTarget: { checked } }) =>
                setEvents((now) => (checked ? [...now, event] : now.filter((other) => other !== event)))
              }
            />
          ))}
        </fieldset>
        {events.includes('push_events') ? (
          <Group align="flex-start" gap="md">
            <NativeSelect
              label="Branch filter"
              data={[...branchStrategies]}
              value={values.branch_filter_strategy}
              onChange={(event) => fields.set('branch_filter_strategy', event.currentTarget.value)}
            />
            {values.branch_filter_strategy === 'all_branches' ? null : (
              <TextField
                of={fields}
                reason={reason}
                name="push_events_branch_filter"
                label="Branches"
                placeholder={values.branch_filter_strategy === 'regex' ? '^(main|release/)' : 'release/*'}
                description="Leave empty for all branches"
                maxLength={5000}
                autoComplete="off"
              />
            )}
          </Group>
        ) : null}
        {whole ? (
          <>
            <HookPairs
              legend="Headers"
              help="Sent in addition to the default headers."
              noun="header"
              pairs={headers}
              change={setHeaders}
            />
            <Textarea
              label="Template"
              description="JSON sent instead of the default body; {{field}} inserts a field of it. Leave empty to send the default"
              autosize
              minRows={2}
              maxLength={4096}
              value={values.custom_webhook_template}
              onChange={(event) => fields.set('custom_webhook_template', event.currentTarget.value)}
              error={reason('custom_webhook_template')}
            />
          </>
        ) : null}
        <Checkbox
          label="Enable SSL verification"
          checked={verify}
          onChange={(event) => setVerify(event.currentTarget.checked)}
        />
        <Group>
          <Button type="submit" loading={sending.pending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
