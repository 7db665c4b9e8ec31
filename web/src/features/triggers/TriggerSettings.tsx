/** Tokens that start pipelines of a project from outside. */
import { Button, Stack, Text, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createTrigger, deleteTrigger, triggerTokens } from '../../lib/schedules.ts';
import { sessionQuery } from '../../lib/session.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { Command } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { useProject } from '../projects/useProject.ts';

function NewTrigger({ added }: { added(): Promise<unknown> }) {
  const { path } = useProject();
  const [description, setDescription] = useState('');
  const sending = useForm(async () => {
    await createTrigger(path, description);
    setDescription('');
    await added();
  });
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="sm" maw={520}>
        <TextInput
          label="Description"
          required
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={sending.reason('description')}
        />
        <div>
          <Button type="submit" loading={sending.pending}>
            Create trigger token
          </Button>
        </div>
      </Stack>
    </form>
  );
}

export function TriggerSettings() {
  const { project, path } = useProject();
  const { data: session } = useQuery(sessionQuery);
  const user = session?.user ?? null;
  const cache = useQueryClient();
  const { data: tokens, error } = useQuery(triggerTokens(path));
  const again = () => cache.invalidateQueries(triggerTokens(path));
  const address = `${window.location.origin}/api/v4/projects/${project.id}/trigger/pipeline`;
  return (
    <>
      <h2>Trigger tokens</h2>
      <Text c="var(--mr-dim)" mb="md">
        Start a pipeline with a single request. It runs with the permissions of the user who created the token.
      </Text>
      <FormError error={error} />
      <Stack gap="lg">
        <NewTrigger added={again} />
        {tokens?.length === 0 ? <Text>No trigger tokens yet.</Text> : null}
        {tokens && tokens.length > 0 ? (
          <DataList label="Trigger tokens">
            {tokens.map((trigger) => (
              <DataRow
                key={trigger.id}
                title={trigger.description}
                meta={
                  <>
                    <code>{trigger.token}</code>
                    {trigger.owner ? <UserChip user={trigger.owner} /> : null}
                    <span>
                      Last used <TimeAgo at={trigger.last_used} />
                    </span>
                  </>
                }
                after={
                  <>
                    {user !== null && trigger.owner?.id === user.id ? (
                      <CopyButton value={trigger.token} label={`Copy token ${trigger.description}`} />
                    ) : null}
                    <ConfirmButton
                      title="Delete trigger token"
                      about={`Delete ${trigger.description}`}
                      text="Requests with this token will be refused."
                      action="Delete trigger token"
                      icon={<IconTrash size={16} />}
                      run={() => deleteTrigger(path, trigger.id)}
                      shown={again}
                    />
                  </>
                }
              />
            ))}
          </DataList>
        ) : null}
        <section aria-label="Use a trigger token">
          <h3>Use a trigger token</h3>
          <Command
            text={`curl --request POST --form token=TOKEN --form ref=${project.default_branch ?? 'main'} --form "variables[NAME]=value" ${address}`}
          />
          <Text c="var(--mr-dim)" mt="md">
            As a webhook of another service:
          </Text>
          <Command
            text={`${window.location.origin}/api/v4/projects/${project.id}/ref/${encodeURIComponent(project.default_branch ?? 'main')}/trigger/pipeline?token=TOKEN`}
          />
        </section>
      </Stack>
    </>
  );
}
