/** Services outside that are told of merge requests and say whether they may be merged. */
import { ActionIcon, Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { statusChecks } from '../../lib/status-checks.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { useProject } from '../projects/useProject.ts';

type Check = Schemas['ExternalStatusCheck'];

function NewCheck({ added }: { added(): Promise<unknown> }) {
  const { path } = useProject();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [secret, setSecret] = useState('');
  const sending = useForm(async () => {
    await unwrap(
      client.POST('/projects/{id}/external_status_checks', {
        params: { path: { id: path } },
        body: { name, external_url: url, ...(secret ? { shared_secret: secret } : {}) },
      }),
    );
    setName('');
    setUrl('');
    setSecret('');
    await added();
  });
  return (
    <section aria-label="Add status check">
      <Title order={3} mb="sm">
        Add status check
      </Title>
      <form {...sending.form}>
        <FormError error={sending.error} />
        <Stack gap="md" maw={520}>
          <TextInput
            label="Name"
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={sending.reason('name')}
          />
          <TextInput
            label="URL"
            type="url"
            description="Receives a POST request when a merge request is created or updated"
            required
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
            error={sending.reason('external_url')}
          />
          <PasswordInput
            label="Secret"
            description="Signs the requests (X-Gitlab-Signature); not shown again"
            autoComplete="off"
            value={secret}
            onChange={(event) => setSecret(event.currentTarget.value)}
            error={sending.reason('shared_secret')}
          />
          <div>
            <Button type="submit" loading={sending.pending}>
              Add status check
            </Button>
          </div>
        </Stack>
      </form>
    </section>
  );
}

export function StatusCheckSettings() {
  const { path } = useProject();
  const cache = useQueryClient();
  const { data: checks, error } = useQuery(statusChecks(path));
  const again = () => cache.invalidateQueries(statusChecks(path));
  const leaving = useConfirmed(
    ({ id: check_id }: Check) =>
      unwrap(
        client.DELETE('/projects/{id}/external_status_checks/{check_id}', { params: { path: { id: path, check_id } } }),
      ),
    again,
  );
  return (
    <>
      <h2>Status checks</h2>
      <Text c="var(--mr-dim)" mb="md">
        External services that check merge requests and report through the API. To require that all checks pass, see the
        Merge requests settings.
      </Text>
      <FormError error={error} />
      <Stack gap="lg">
        {checks?.length === 0 ? <Text>No status checks yet.</Text> : null}
        {checks && checks.length > 0 ? (
          <DataList label="Status checks">
            {checks.map((check) => (
              <DataRow
                key={check.id}
                title={check.name}
                meta={
                  <>
                    <span>{check.external_url}</span>
                    {check.hmac ? <span>signed</span> : null}
                    {check.protected_branches.length > 0 ? (
                      <span>only for {check.protected_branches.map((branch) => branch.name).join(', ')}</span>
                    ) : null}
                  </>
                }
                after={
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={30}
                    aria-label={`Remove ${check.name}`}
                    onClick={() => leaving.ask(check)}
                  >
                    <IconTrash size={16} />
                  </ActionIcon>
                }
              />
            ))}
          </DataList>
        ) : null}
        <NewCheck added={again} />
      </Stack>
      <ConfirmName
        {...leaving.dialog}
        title="Delete status check"
        text="The service is no longer called, and merge requests no longer wait for it."
        name={leaving.asked?.name ?? ''}
        action="Delete status check"
      />
    </>
  );
}
