/** Making an access token. */
import { Button, Checkbox, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { inDays } from '../../lib/time.ts';
import type { NewToken, TokenSource } from '../../lib/tokens.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { levels } from '../members/levels.ts';
import type { ScopeChoice } from './scopes.ts';

interface NewTokenFormProps {
  source: TokenSource;
  scopes: readonly ScopeChoice[];
  /** The highest role that the person can give. */
  highest?: number;
  made: (token: NewToken) => void;
}

export function NewTokenForm({ source, scopes, highest = 50, made }: NewTokenFormProps) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [expires, setExpires] = useState(inDays(90));
  const [level, setLevel] = useState('30');
  const [chosen, setChosen] = useState<string[]>(['api']);
  const sending = useForm(async () => {
    const token = await source.create({
      name,
      description,
      scopes: chosen,
      expires_at: expires,
      access_level: Number(level),
    });
    setName('');
    setDescription('');
    made(token);
  });
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        <TextInput
          label="Name"
          description={source.roles ? 'Also the name of its bot user' : 'What it is for'}
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={sending.reason('name')}
        />
        <TextInput
          label="Description"
          maxLength={255}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={sending.reason('description')}
        />
        <TextInput
          label="Expiration date (UTC)"
          type="date"
          required
          min={inDays(1)}
          value={expires}
          onChange={(event) => setExpires(event.currentTarget.value)}
          error={sending.reason('expires_at')}
        />
        {source.roles ? (
          <NativeSelect
            label="Role"
            data={levels.filter((each) => Number(each.value) <= highest)}
            value={level}
            onChange={(event) => setLevel(event.currentTarget.value)}
            error={sending.reason('access_level')}
          />
        ) : null}
        <Checkbox.Group label="Scopes" value={chosen} onChange={setChosen} error={sending.reason('scopes')}>
          <Stack gap={6} mt={6}>
            {scopes.map((scope) => (
              <Checkbox key={scope.value} {...scope} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group>
          <Button type="submit" loading={sending.pending} disabled={chosen.length === 0}>
            Create token
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
