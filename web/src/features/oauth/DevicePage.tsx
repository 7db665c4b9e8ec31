/** Connecting a program without a browser: its code, what it asks for, and the answer. */
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../../lib/api.ts';
import { type AskingDevice, answerDevice, findDevice } from '../../lib/consent.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Page } from '../../ui/Page.tsx';
import { Asking } from './Asking.tsx';
import classes from './oauth.module.css';

function CodeForm({ given, found }: { given: string; found: (code: string, device: AskingDevice) => void }) {
  const [code, setCode] = useState(given);
  const sending = useForm(async () => {
    const device = await findDevice(code);
    if (device) found(code, device);
  });
  const unknown = sending.error instanceof ApiError && sending.error.status === 404;
  return (
    <form {...sending.form} className={classes.panel}>
      <FormError
        error={
          unknown ? new Error('No device is waiting with this code. Codes expire after five minutes.') : sending.error
        }
      />
      <Stack gap="md">
        <TextInput
          label="Code"
          description="As shown on the device"
          name="user_code"
          required
          autoFocus
          autoComplete="off"
          autoCapitalize="characters"
          maw={220}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Group>
          <Button type="submit" loading={sending.pending}>
            Continue
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export default function DevicePage() {
  const { user_code } = useSearch({ from: '/oauth/device' });
  const [found, setFound] = useState<{ code: string; device: AskingDevice } | null>(null);
  const answer = useMutation({ mutationFn: (agreed: boolean) => answerDevice(found?.code ?? '', agreed) });
  if (answer.data)
    return (
      <Page title="Connect a device" narrow>
        <Alert variant="light" role="status" title={answer.data.authorized ? 'The device is connected' : 'Denied'}>
          {answer.data.authorized ? 'Go back to your device to continue.' : 'The device was not given access.'}
        </Alert>
      </Page>
    );
  if (!found)
    return (
      <Page title="Connect a device" narrow>
        <CodeForm given={user_code ?? ''} found={(code, device) => setFound({ code, device })} />
      </Page>
    );
  return (
    <Page title="Connect this device?" narrow>
      <Stack gap="lg" className={classes.panel}>
        <FormError error={answer.error} />
        <Asking {...found.device} />
        <Text>
          Continue only if the code <strong>{found.code}</strong> is shown on your own device, which you started just
          now. Nobody should ever send you such a code.
        </Text>
        <Group gap="sm">
          <Button loading={answer.isPending && answer.variables} onClick={() => answer.mutate(true)}>
            Allow
          </Button>
          <Button variant="default" disabled={answer.isPending} onClick={() => answer.mutate(false)}>
            Deny
          </Button>
        </Group>
      </Stack>
    </Page>
  );
}
