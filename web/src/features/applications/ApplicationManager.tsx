/** Applications of one owner: registering, changing, a new secret, removing. */
import { ActionIcon, Alert, Stack, Text, Title } from '@mantine/core';
import { IconPencil, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import {
  type Application,
  type ApplicationSource,
  applicationsOf,
  type NewApplication,
} from '../../lib/applications.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { Command } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Modal } from '../../ui/Modal.tsx';
import type { ScopeChoice } from '../tokens/scopes.ts';
import { ApplicationForm } from './ApplicationForm.tsx';

/** The secret that was just made: shown now and never again. */
function FreshSecret({ application }: { application: NewApplication }) {
  const alert = useRef<HTMLDivElement>(null);
  const { secret } = application;
  useEffect(() => {
    if (secret) alert.current?.scrollIntoView({ block: 'center' });
  }, [secret]);
  return (
    <Alert
      ref={alert}
      variant="light"
      role="status"
      styles={{ body: { minWidth: 0 } }}
      title={`Copy the secret of “${application.application_name}” now: it is not shown again`}
    >
      <Stack gap={6}>
        <Text size="sm">Application ID</Text>
        <Command text={application.application_id} label="Copy the application ID" />
        <Text size="sm">Secret</Text>
        <Command text={secret} label="Copy the secret" />
      </Stack>
    </Alert>
  );
}

interface RowProps {
  application: Application;
  edit: () => void;
  renew: () => void;
  remove: () => void;
}

function ApplicationRow({ application, edit, renew, remove }: RowProps) {
  const { application_name: name, callback_url, confidential, trusted, scopes, application_id: uid } = application;
  const action = { variant: 'subtle', color: 'gray', size: 30 } as const;
  return (
    <DataRow
      title={name}
      meta={
        <>
          <span title={uid}>{uid.slice(0, 12)}…</span>
          <span>{callback_url.split('\n').join(', ')}</span>
          <span>{scopes.join(', ')}</span>
          {confidential ? null : <span>not confidential</span>}
          {trusted ? <strong>trusted</strong> : null}
        </>
      }
      after={
        <>
          <CopyButton value={uid} label={`Copy the application ID of ${name}`} />
          <ActionIcon {...action} aria-label={`Edit ${name}`} onClick={edit}>
            <IconPencil size={16} />
          </ActionIcon>
          <ActionIcon {...action} aria-label={`New secret for ${name}`} onClick={renew}>
            <IconRefresh size={16} />
          </ActionIcon>
          <ActionIcon {...action} aria-label={`Remove ${name}`} onClick={remove}>
            <IconTrash size={16} />
          </ActionIcon>
        </>
      }
    />
  );
}

interface ApplicationManagerProps {
  source: ApplicationSource;
  scopes: readonly ScopeChoice[];
}

export function ApplicationManager({ source, scopes }: ApplicationManagerProps) {
  const { data: applications } = useSuspenseQuery(applicationsOf(source));
  const [fresh, setFresh] = useState<NewApplication | null>(null);
  const [edited, setEdited] = useState<Application | null>(null);
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: source.key });
  const done = () => setEdited(null);
  const renewing = useConfirmed(async ({ id }: Application) => setFresh(await source.renew(id)));
  const leaving = useConfirmed(async ({ id }: Application) => {
    await source.remove(id);
    setFresh((before) => (before?.id === id ? null : before));
  }, again);
  return (
    <Stack gap="lg">
      {fresh ? <FreshSecret key={fresh.secret} application={fresh} /> : null}
      <FormError error={renewing.error} />
      {applications.length === 0 ? (
        <Text c="var(--mr-dim)">None yet.</Text>
      ) : (
        <DataList label="Applications">
          {applications.map((application) => (
            <ApplicationRow
              key={application.id}
              application={application}
              edit={() => setEdited(application)}
              renew={() => renewing.ask(application)}
              remove={() => leaving.ask(application)}
            />
          ))}
        </DataList>
      )}
      <Title order={3}>Add an application</Title>
      <ApplicationForm
        scopes={scopes}
        trusts={source.trusts}
        action="Register"
        send={async (draft) => {
          setFresh(await source.create(draft));
          await again();
        }}
      />
      <Modal opened={edited !== null} onClose={done} title="Edit application" size="lg">
        {edited ? (
          <ApplicationForm
            application={edited}
            scopes={scopes}
            trusts={source.trusts}
            action="Save"
            cancel={done}
            send={async (draft) => {
              await source.change(edited.id, draft);
              await again();
              done();
            }}
          />
        ) : null}
      </Modal>
      <ConfirmName
        {...renewing.dialog}
        title="New secret"
        text="The current secret stops working immediately."
        name={renewing.asked?.application_name ?? ''}
        action="Renew secret"
      />
      <ConfirmName
        {...leaving.dialog}
        title="Remove application"
        text="All users lose access through it immediately."
        name={leaving.asked?.application_name ?? ''}
        action="Remove application"
      />
    </Stack>
  );
}
