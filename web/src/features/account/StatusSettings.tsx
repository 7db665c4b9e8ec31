/** What one says one is doing. */
import { Button, Checkbox, NativeSelect, Stack } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import * as accounts from '../../lib/accounts.ts';
import { client, unwrap } from '../../lib/api.ts';
import { emoji, emojiNames } from '../../lib/emoji.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { TextField, useFields } from '../../ui/TextField.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { Save } from '../settings/Save.tsx';
import classes from './account.module.css';

const lengths = [
  ['', 'Never'],
  ['30_minutes', 'After 30 minutes'],
  ['3_hours', 'After 3 hours'],
  ['8_hours', 'After 8 hours'],
  ['1_day', 'After a day'],
  ['3_days', 'After 3 days'],
  ['7_days', 'After a week'],
  ['30_days', 'After 30 days'],
] as const;
type Length = Exclude<(typeof lengths)[number][0], ''>;

export function StatusSettings() {
  const { data: status } = useSuspenseQuery(accounts.ownStatus());
  const cache = useQueryClient();
  const fields = useFields({
    emoji: status.emoji ?? 'speech_balloon',
    message: status.message ?? '',
    busy: status.availability === 'busy',
    after: '',
  });
  const { values } = fields;
  const save = async (body: {
    emoji?: string;
    message?: string;
    availability?: 'busy' | 'not_set';
    clear_status_after?: Length;
  }) => {
    await unwrap(client.PUT('/user/status', { body }));
    await Promise.all([
      cache.invalidateQueries({ queryKey: ['user', 'status'] }),
      cache.invalidateQueries({ queryKey: ['users'] }),
    ]);
  };
  const sending = useForm(() =>
    save({
      // An emoji alone is the default one, which says nothing.
      ...(values.message || values.emoji !== 'speech_balloon' ? { emoji: values.emoji } : {}),
      message: values.message,
      availability: values.busy ? 'busy' : 'not_set',
      ...(values.after ? { clear_status_after: values.after as Length } : {}),
    }),
  );
  const clearing = useForm(async () => {
    await save({});
    fields.replace({ emoji: 'speech_balloon', message: '', busy: false, after: '' });
  });
  const known = emojiNames.includes(values.emoji) ? emojiNames : [values.emoji, ...emojiNames];
  const something = status.message || status.emoji || status.availability === 'busy';
  return (
    <section className={classes.section} aria-label="Status">
      <h2>Status</h2>
      <form {...sending.form}>
        <FormError error={sending.reason('message') ? null : (sending.error ?? clearing.error)} />
        <Stack gap="md">
          <div className={classes.pair}>
            <NativeSelect
              label="Emoji"
              value={values.emoji}
              onChange={(event) => fields.set('emoji', event.currentTarget.value)}
              data={known.map((name) => ({ value: name, label: `${emoji(name)} ${name.replaceAll('_', ' ')}` }))}
              error={sending.reason('emoji')}
            />
            <NativeSelect
              label="Ends"
              value={values.after}
              onChange={(event) => fields.set('after', event.currentTarget.value)}
              data={lengths.map(([value, label]) => ({ value, label }))}
              description={
                status.clear_status_at ? (
                  <>
                    Now: <TimeAgo at={status.clear_status_at} />
                  </>
                ) : undefined
              }
              inputWrapperOrder={['label', 'input', 'description', 'error']}
            />
          </div>
          <TextField
            of={fields}
            reason={sending.reason}
            name="message"
            label="What you are doing"
            maxLength={100}
            autoComplete="off"
          />
          <Checkbox
            label="Busy"
            description="Shows “(busy)” next to your status"
            checked={values.busy}
            onChange={(event) => fields.set('busy', event.currentTarget.checked)}
          />
          <Save pending={sending.pending} done={sending.done} label="Set status">
            {something ? (
              <Button variant="default" onClick={(event) => clearing.form.onSubmit(event)} loading={clearing.pending}>
                Clear status
              </Button>
            ) : null}
          </Save>
        </Stack>
      </form>
    </section>
  );
}
