/** Second factors: what there is, adding an application or a security key, recovery codes, taking them away. */
import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { sessionQuery } from '../../lib/session.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { Page } from '../../ui/Page.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { AddApplication } from './AddApplication.tsx';
import { AddKey } from './AddKey.tsx';
import { PasswordForm } from './PasswordForm.tsx';
import { RecoveryCodes } from './RecoveryCodes.tsx';

type Step = 'application' | 'key' | 'codes' | 'remove' | { remove: number } | null;

export default function TwoFactorPage() {
  const { data: state } = useSuspenseQuery(data.twoFactor());
  const [step, setStep] = useState<Step>(null);
  const [codes, setCodes] = useState<readonly string[]>([]);
  const cache = useQueryClient();
  const done = async (fresh: readonly string[] = []) => {
    setStep(null);
    if (fresh.length > 0) setCodes(fresh);
    await Promise.all([cache.invalidateQueries({ queryKey: ['two-factor'] }), cache.invalidateQueries(sessionQuery)]);
  };
  return (
    <Page title="Two-factor authentication" narrow>
      <Stack gap="lg">
        {state.required_until ? (
          <Alert color="yellow" variant="light" title="A second factor is required">
            Set one up <TimeAgo at={state.required_until} />: without it you can use nothing else from then on.
          </Alert>
        ) : null}
        <Text c="var(--mr-dim)">
          {state.enabled
            ? 'Signing in asks for a second factor. git and API clients use an access token instead of the password.'
            : 'With a second factor, your password alone is not enough to sign in.'}
        </Text>
        {codes.length > 0 ? <RecoveryCodes codes={codes} close={() => setCodes([])} /> : null}
        <Title order={2}>Authenticator application</Title>
        {state.totp ? (
          <Text>Registered. To change it, remove all second factors and start again.</Text>
        ) : step === 'application' ? (
          <AddApplication done={done} cancel={() => setStep(null)} />
        ) : (
          <Group>
            <Button variant={state.enabled ? 'default' : 'filled'} onClick={() => setStep('application')}>
              Add authenticator application
            </Button>
          </Group>
        )}
        <Title order={2}>Security keys</Title>
        {state.security_keys.length > 0 ? (
          <DataList label="Security keys">
            {state.security_keys.map((key) => (
              <DataRow
                key={key.id}
                title={key.name}
                meta={
                  <span>
                    added <TimeAgo at={key.created_at} />, used <TimeAgo at={key.last_used_at} />
                  </span>
                }
                after={
                  <Button size="xs" variant="default" onClick={() => setStep({ remove: key.id })}>
                    Remove
                  </Button>
                }
              />
            ))}
          </DataList>
        ) : null}
        {typeof step === 'object' && step !== null ? (
          <PasswordForm
            action="Remove security key"
            cancel={() => setStep(null)}
            send={async (password) => {
              await unwrap(
                client.DELETE('/user/two_factor/security_keys/{key_id}', {
                  params: { path: { key_id: step.remove }, query: { current_password: password } },
                }),
              );
              await done();
            }}
          />
        ) : null}
        {step === 'key' ? (
          <AddKey done={done} cancel={() => setStep(null)} />
        ) : (
          <Group>
            <Button variant="default" onClick={() => setStep('key')}>
              Add security key or passkey
            </Button>
          </Group>
        )}
        {state.enabled ? (
          <>
            <Title order={2}>Recovery codes</Title>
            <Text>{state.recovery_codes_left} left.</Text>
            {step === 'codes' ? (
              <PasswordForm
                action="Create new recovery codes"
                cancel={() => setStep(null)}
                send={async (password) => {
                  const made = await unwrap(
                    client.POST('/user/two_factor/recovery_codes', { body: { current_password: password } }),
                  );
                  await done(made.recovery_codes);
                }}
              />
            ) : (
              <Group>
                <Button variant="default" onClick={() => setStep('codes')}>
                  New recovery codes
                </Button>
              </Group>
            )}
            <Title order={2}>Turn off</Title>
            {step === 'remove' ? (
              <PasswordForm
                action="Remove all second factors"
                danger
                cancel={() => setStep(null)}
                send={async (password) => {
                  await unwrap(
                    client.DELETE('/user/two_factor', { params: { query: { current_password: password } } }),
                  );
                  await done();
                }}
              />
            ) : (
              <Group>
                <Button variant="default" onClick={() => setStep('remove')}>
                  Turn off two-factor authentication
                </Button>
              </Group>
            )}
          </>
        ) : null}
      </Stack>
    </Page>
  );
}
