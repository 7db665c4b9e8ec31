/** Whether pushes that bring keys and passwords are refused. */
import { Checkbox, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { securitySettings } from '../../lib/repository.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { useProject } from '../projects/useProject.ts';
import { Save } from './Save.tsx';

function SecretForm({ settings }: { settings: Schemas['ProjectSecuritySettings'] }) {
  const { path } = useProject();
  const cache = useQueryClient();
  const [enabled, setEnabled] = useState(settings.secret_push_protection_enabled);
  const sending = useForm(async () => {
    const saved = await unwrap(
      client.PUT('/projects/{id}/security_settings', {
        params: { path: { id: path } },
        body: { secret_push_protection_enabled: enabled },
      }),
    );
    cache.setQueryData(securitySettings(path).queryKey, saved);
  });
  return (
    <form {...sending.form} aria-label="Secret push protection">
      <FormError error={sending.error} />
      <Stack gap="md">
        <Checkbox
          label="Reject pushes that contain secrets"
          description="Checks new lines of pushes, web commits and merges for known kinds of keys, tokens and passwords"
          checked={enabled}
          onChange={(event) => setEnabled(event.currentTarget.checked)}
        />
        <Save pending={sending.pending} done={sending.done} />
      </Stack>
    </form>
  );
}

export function SecretSettings() {
  const { path } = useProject();
  const { data, error } = useQuery(securitySettings(path));
  return (
    <>
      <h2>Secret push protection</h2>
      <Text c="var(--mr-dim)" mb="md">
        The error names the file, the line and the kind of secret. Available only if it is enabled for the instance.
      </Text>
      <FormError error={error} />
      {data ? <SecretForm settings={data} /> : null}
    </>
  );
}
