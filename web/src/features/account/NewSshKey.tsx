/** Adding an SSH key. */
import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { client, unwrap } from '../../lib/api.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { PublicKeyField } from '../../ui/PublicKeyField.tsx';
import { TextField, useFields } from '../../ui/TextField.tsx';
import classes from './account.module.css';

export const usages = {
  auth_and_signing: 'Authentication and signing',
  auth: 'Signing in',
  signing: 'Signing',
} as const;
type Usage = keyof typeof usages;

const empty = { title: '', key: '', expires_at: '', usage_type: 'auth_and_signing' };

export function NewSshKey({ added }: { added(): Promise<unknown> }) {
  const fields = useFields(empty);
  const { values } = fields;
  const sending = useForm(async () => {
    const { expires_at, usage_type, ...rest } = values;
    await unwrap(
      client.POST('/user/keys', {
        body: { ...rest, usage_type: usage_type as Usage, ...(expires_at ? { expires_at } : {}) },
      }),
    );
    fields.replace(empty);
    await added();
  });
  const named = ['title', 'key', 'expires_at', 'fingerprint', 'fingerprint_sha256'].some((name) =>
    sending.reason(name),
  );
  return (
    <form {...sending.form}>
      <FormError error={named ? null : sending.error} />
      <Stack gap="md">
        <PublicKeyField of={fields} reason={sending.reason} />
        <TextField
          of={fields}
          reason={sending.reason}
          name="title"
          label="Title"
          description="A name for this key"
          required
        />
        <div className={classes.pair}>
          <NativeSelect
            label="Use"
            data={Object.entries(usages).map(([value, label]) => ({ value, label }))}
            value={values.usage_type}
            onChange={(event) => fields.set('usage_type', event.currentTarget.value)}
            error={sending.reason('usage_type')}
          />
          <TextField of={fields} reason={sending.reason} name="expires_at" label="Expires" type="date" />
        </div>
        <Group>
          <Button type="submit" loading={sending.pending}>
            Add key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
