/** The dialog that creates a runner, with the commands that connect it, until it has made contact. */
import { Button, Loader } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { createRunner, newFields, newRunner, type RunnerPlace, runnersKey } from '../../lib/runners.ts';
import { Command } from '../../ui/EmptyState.tsx';
import { Modal } from '../../ui/Modal.tsx';
import { useFields } from '../../ui/TextField.tsx';
import { RunnerForm } from './RunnerForm.tsx';
import classes from './runners.module.css';

function Contact({ id }: { id: number }) {
  const { data } = useQuery(newRunner(id));
  const made = Boolean(data?.contacted_at);
  return (
    <p role="status" className={classes.contact} data-made={made || undefined}>
      {made ? <IconCircleCheck size={16} aria-hidden /> : <Loader size={14} />}
      {made ? 'The runner is connected.' : 'Waiting for the first contact of the runner…'}
    </p>
  );
}

function Created({ id, token, leave }: { id: number; token: string; leave: () => void }) {
  return (
    <>
      <strong>Runner #{id} was created.</strong> On the machine where its jobs should run:
      <ol className={classes.steps}>
        <li>
          Install <code>gitlab-runner</code>, then register it. Copy the command now: the token is not shown again.
          <Command text={`gitlab-runner register --url ${window.location.origin} --token ${token}`} />
        </li>
        <li>
          Start it, unless it already runs as a service.
          <Command text="gitlab-runner run" label="Copy the command that starts it" />
        </li>
      </ol>
      <Contact id={id} />
      <Button onClick={leave}>Done</Button>
    </>
  );
}

export function NewRunner({ place, opened, close }: { place: RunnerPlace; opened: boolean; close: () => void }) {
  const fields = useFields(newFields);
  const [created, setCreated] = useState<Schemas['RunnerCreated'] | null>(null);
  const cache = useQueryClient();
  const leave = () => {
    close();
    setCreated(null);
    fields.replace(newFields);
    void cache.invalidateQueries({ queryKey: runnersKey });
  };
  return (
    <Modal opened={opened} onClose={leave} title="New runner" size="lg" closeOnClickOutside={created === null}>
      {created === null ? (
        <RunnerForm
          of={fields}
          lockable={place.kind === 'project'}
          action="Create runner"
          send={async (values) => {
            setCreated(await createRunner(place, values));
            await cache.invalidateQueries({ queryKey: runnersKey });
          }}
        />
      ) : (
        <Created id={created.id} token={created.token} leave={leave} />
      )}
    </Modal>
  );
}
