/** Tags that only some create, and nobody moves. */
import { ActionIcon, Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { type ProtectedTag, protectedTags } from '../../lib/protections.ts';
import { useLive } from '../../lib/useLive.ts';
import { grantOf, inWords } from '../../lib/who-may.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { useProject } from '../projects/useProject.ts';
import { WhoMay } from './WhoMay.tsx';

function NewRule({ saved }: { saved(): Promise<unknown> }) {
  const { path } = useProject();
  const [name, setName] = useState('');
  const [create, setCreate] = useState(['role:40']);
  const sending = useForm(async () => {
    const allowed_to_create = (create.length > 0 ? create : ['role:0']).map(grantOf);
    await unwrap(
      client.POST('/projects/{id}/protected_tags', {
        params: { path: { id: path } },
        body: { name, allowed_to_create },
      }),
    );
    setName('');
    await saved();
  });
  return (
    <section aria-label="Protect a tag">
      <Title order={3} mb="sm">
        Protect a tag
      </Title>
      <form {...sending.form}>
        <FormError error={sending.error} />
        <Stack gap="md" maw={520}>
          <TextInput
            label="Tag or pattern"
            description="* stands for any text: v*"
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={sending.reason('name')}
            autoComplete="off"
            spellCheck={false}
          />
          <WhoMay project={path} label="Allowed to create" value={create} change={setCreate} keys />
          <div>
            <Button type="submit" loading={sending.pending}>
              Protect
            </Button>
          </div>
        </Stack>
      </form>
    </section>
  );
}

export function ProtectedTags() {
  const { path, project } = useProject();
  const cache = useQueryClient();
  const { data: rules, error } = useQuery(protectedTags(path));
  const again = () => cache.invalidateQueries(protectedTags(path));
  useLive([`project:${project.id}:refs`], [['project', path, 'protected-tags']]);
  const leaving = useConfirmed(
    ({ name }: ProtectedTag) =>
      unwrap(client.DELETE('/projects/{id}/protected_tags/{name}', { params: { path: { id: path, name } } })),
    again,
  );
  return (
    <>
      <h2>Protected tags</h2>
      <Text c="var(--mr-dim)" mb="md">
        Only the people listed can create protected tags, nobody can update them, and only maintainers can delete them.
        To change who can create them, unprotect and protect them again.
      </Text>
      <FormError error={error} />
      <Stack gap="lg">
        {rules?.length === 0 ? <Text>No protected tags.</Text> : null}
        {rules && rules.length > 0 ? (
          <DataList label="Protected tags">
            {rules.map((rule) => (
              <DataRow
                key={rule.name}
                title={<code>{rule.name}</code>}
                meta={<span>Create: {inWords(rule.create_access_levels)}</span>}
                after={
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={30}
                    aria-label={`Unprotect ${rule.name}`}
                    onClick={() => leaving.ask(rule)}
                  >
                    <IconTrash size={16} />
                  </ActionIcon>
                }
              />
            ))}
          </DataList>
        ) : null}
        <NewRule saved={again} />
      </Stack>
      <ConfirmName
        {...leaving.dialog}
        title="Unprotect tag"
        text="Anyone who can push to the project will be able to create, update and delete it."
        name={leaving.asked?.name ?? ''}
        action="Unprotect"
      />
    </>
  );
}
