/** CI/CD variables of a project. */
import { Badge, Button, Checkbox, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { configuration } from '../../lib/instance.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { useProject } from '../projects/useProject.ts';
import classes from './settings.module.css';

function AddVariable({ done }: { done: () => Promise<void> }) {
  const { path } = useProject();
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const [scope, setScope] = useState('*');
  const [masked, setMasked] = useState(true);
  const { data: instance } = useQuery(configuration());
  /** Null until somebody decides otherwise than the instance. */
  const [decided, setGuarded] = useState<boolean | null>(null);
  const guarded = decided ?? instance?.ci.protected_variables ?? false;
  const sending = useForm(async () => {
    await unwrap(
      client.POST('/projects/{id}/variables', {
        params: { path: { id: path } },
        body: { key, value, masked, protected: guarded, environment_scope: scope || '*' },
      }),
    );
    setKey('');
    setValue('');
    await done();
  });
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="sm">
        <div className={classes.fields}>
          <TextInput
            label="Key"
            required
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
            error={sending.reason('key')}
            autoComplete="off"
          />
          <TextInput
            label="Environment"
            value={scope}
            onChange={(event) => setScope(event.currentTarget.value)}
            error={sending.reason('environment_scope')}
          />
        </div>
        <Textarea
          label="Value"
          autosize
          minRows={1}
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
          error={sending.reason('value')}
          autoComplete="off"
        />
        <Group gap="lg">
          <Checkbox
            label="Mask in logs"
            checked={masked}
            onChange={(event) => setMasked(event.currentTarget.checked)}
          />
          <Checkbox
            label="Only for protected branches and tags"
            checked={guarded}
            onChange={(event) => setGuarded(event.currentTarget.checked)}
          />
        </Group>
        <div>
          <Button type="submit" size="xs" loading={sending.pending}>
            Add variable
          </Button>
        </div>
      </Stack>
    </form>
  );
}

export function VariableSettings() {
  const { parts, path } = useProject();
  const { data: variables, error } = useQuery(parts.variables());
  const cache = useQueryClient();
  const done = () => cache.invalidateQueries({ queryKey: ['project', path, 'variables'] });
  const remove = (variable: Schemas['Variable']) =>
    unwrap(
      client.DELETE('/projects/{id}/variables/{key}', {
        params: {
          path: { id: path, key: variable.key },
          query: { filter: { environment_scope: variable.environment_scope } },
        },
      }),
    );
  return (
    <>
      <h2>CI/CD variables</h2>
      <FormError error={error} />
      <Stack gap="lg">
        {variables?.length === 0 ? (
          <Text c="var(--mr-dim)">No variables yet. Jobs see each one in their environment.</Text>
        ) : null}
        {variables && variables.length > 0 ? (
          <DataList label="Variables">
            {variables.map((variable) => (
              <DataRow
                key={`${variable.key} ${variable.environment_scope}`}
                title={<code>{variable.key}</code>}
                meta={
                  <>
                    {variable.masked ? (
                      <Badge size="sm" variant="default">
                        masked
                      </Badge>
                    ) : null}
                    {variable.protected ? (
                      <Badge size="sm" variant="default">
                        protected
                      </Badge>
                    ) : null}
                    {variable.environment_scope === '*' ? null : <span>{variable.environment_scope}</span>}
                    {variable.description ? <span>{variable.description}</span> : null}
                  </>
                }
                after={
                  <ConfirmButton
                    title="Delete variable"
                    about={`Delete ${variable.key}`}
                    text={`${variable.key} and its value will be deleted. Jobs no longer receive it.`}
                    action="Delete variable"
                    icon={<IconTrash size={16} />}
                    run={() => remove(variable)}
                    shown={done}
                  />
                }
              />
            ))}
          </DataList>
        ) : null}
        <AddVariable done={done} />
      </Stack>
    </>
  );
}
