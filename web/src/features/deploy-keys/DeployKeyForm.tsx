/** Adding a deploy key: of a project, or one that every project may take. */
import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { PublicKeyField } from '../../ui/PublicKeyField.tsx';
import { TextField, useFields } from '../../ui/TextField.tsx';
import account from '../account/account.module.css';

interface Draft {
  readonly title: string;
  readonly key: string;
  readonly expires_at?: string;
}

const empty = { title: '', key: '', expires_at: '' };

interface Props {
  /** Whether it is asked if the key may push. */
  readonly ofProject?: boolean;
  add(draft: Draft, canPush: boolean): Promise<unknown>;
}

export function DeployKeyForm({ ofProject = false, add }: Props) {
  const fields = useFields(empty);
  const [canPush, setCanPush] = useState(false);
  const sending = useForm(async () => {
    const { expires_at, ...rest } = fields.values;
    await add({ ...rest, ...(expires_at ? { expires_at: `${expires_at}T00:00:00Z` } : {}) }, canPush);
    fields.replace(empty);
    setCanPush(false);
  });
  const named = ['title', 'key', 'expires_at', 'fingerprint', 'fingerprint_sha256'].some(sending.reason);
  return (
    <form {...sending.form} aria-label="Add a deploy key">
      <FormError error={named ? null : sending.error} />
      <Stack gap="md">
        <PublicKeyField of={fields} reason={sending.reason} />
        <div className={account.pair}>
          <TextField of={fields} reason={sending.reason} name="title" label="Title" required />
          <TextField of={fields} reason={sending.reason} name="expires_at" label="Expires" type="date" />
        </div>
        {ofProject ? (
          <Checkbox
            label="Write access"
            description="Allow this key to push"
            checked={canPush}
            onChange={(event) => setCanPush(event.currentTarget.checked)}
          />
        ) : null}
        <Group>
          <Button type="submit" loading={sending.pending}>
            Add deploy key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
