/** Registering an application, or changing one. */
import { Button, Checkbox, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Application, ApplicationDraft } from '../../lib/applications.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import type { ScopeChoice } from '../tokens/scopes.ts';

interface ApplicationFormProps {
  /** What is changed; without it a new one. */
  application?: Application;
  scopes: readonly ScopeChoice[];
  trusts: boolean;
  action: string;
  send: (draft: ApplicationDraft) => Promise<unknown>;
  cancel?: () => void;
}

export function ApplicationForm({ application, scopes, trusts, action, send, cancel }: ApplicationFormProps) {
  const [name, setName] = useState(application?.application_name ?? '');
  const [redirect, setRedirect] = useState(application?.callback_url ?? '');
  const [confidential, setConfidential] = useState(application?.confidential ?? true);
  const [trusted, setTrusted] = useState(application?.trusted ?? false);
  const [chosen, setChosen] = useState<string[]>(application?.scopes ?? ['read_user']);
  const sending = useForm(async () => {
    await send({
      name,
      redirect_uri: redirect,
      scopes: chosen.join(' '),
      confidential,
      ...(trusts ? { trusted } : {}),
    });
    if (application) return;
    setName('');
    setRedirect('');
  });
  // What was registered over the API stays, also where the list does not offer it.
  const known = new Set(scopes.map(({ value }) => value));
  const others = (application?.scopes ?? []).filter((value) => !known.has(value));
  const offered = [...scopes, ...others.map((value) => ({ value, label: value, description: '' }))];
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        <TextInput
          label="Name"
          description="Shown to users when they are asked for access"
          required
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={sending.reason('name')}
        />
        <Textarea
          label="Redirect URIs"
          description="One per line: HTTPS, or HTTP on localhost, 127.0.0.1 or [::1]"
          required
          autosize
          minRows={2}
          value={redirect}
          onChange={(event) => setRedirect(event.currentTarget.value)}
          error={sending.reason('redirect_uri')}
        />
        <Checkbox
          label="Confidential"
          description="The application can keep its secret, for instance because it runs on a server"
          checked={confidential}
          onChange={(event) => setConfidential(event.currentTarget.checked)}
        />
        {trusts ? (
          <Checkbox
            label="Trusted"
            description="Users are not asked to authorize the application"
            checked={trusted}
            onChange={(event) => setTrusted(event.currentTarget.checked)}
          />
        ) : null}
        <Checkbox.Group
          label="Scopes"
          description="The most that it can ask for"
          value={chosen}
          onChange={setChosen}
          error={sending.reason('scopes')}
        >
          <Stack gap={6} mt={6}>
            {offered.map((scope) => (
              <Checkbox key={scope.value} {...scope} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group gap="sm">
          <Button type="submit" loading={sending.pending} disabled={chosen.length === 0}>
            {action}
          </Button>
          {cancel ? (
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
          ) : null}
        </Group>
      </Stack>
    </form>
  );
}
