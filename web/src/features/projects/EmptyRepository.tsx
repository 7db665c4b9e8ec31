/** The first steps of a project without commits: what to type, with the addresses of this project that work. */
import { Anchor, Group, SegmentedControl, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { gitAddresses } from '../../lib/instance.ts';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { AddMenu } from '../files/AddMenu.tsx';
import { firstSteps } from './first-steps.ts';
import classes from './projects.module.css';
import { level, useProject } from './useProject.ts';

export function EmptyRepository({ project, path }: { project: Schemas['Project']; path: string }) {
  const { data: addresses } = useSuspenseQuery(gitAddresses(path));
  const { level: own } = useProject();
  const [wished, setWished] = useState('http');
  const overSsh = addresses.ssh !== null && (wished === 'ssh' || addresses.http === null);
  const address = overSsh ? addresses.ssh : addresses.http;
  if (own < level.developer)
    return <EmptyState title="This repository is empty">Nobody has pushed to it yet.</EmptyState>;
  if (!address)
    return <EmptyState title="This repository is empty">git access to this project is disabled.</EmptyState>;
  const steps = firstSteps(project, address);
  return (
    <EmptyState title="This repository is empty">
      {addresses.http && addresses.ssh ? (
        <SegmentedControl
          size="xs"
          my={4}
          aria-label="Address"
          data={[
            { value: 'http', label: 'HTTP' },
            { value: 'ssh', label: 'SSH' },
          ]}
          value={overSsh ? 'ssh' : 'http'}
          onChange={setWished}
        />
      ) : null}
      <Text c="var(--mr-dim)">
        {overSsh ? (
          <>
            {addresses.ssh_key_missing ? 'To push over SSH, add your' : 'Over SSH your'}{' '}
            <Anchor component={Link} to="/-/user_settings/ssh_keys" underline="always" inherit>
              SSH key
            </Anchor>{' '}
            {addresses.ssh_key_missing ? 'first' : 'authenticates you'}; compare the{' '}
            <Anchor component={Link} to="/help/instance_configuration" underline="always" inherit>
              SSH host key fingerprints
            </Anchor>{' '}
            when git asks.
          </>
        ) : (
          <>
            Over HTTP, use an access token as the password (
            <Anchor component={Link} to="/-/user_settings/personal_access_tokens" underline="always" inherit>
              create one
            </Anchor>
            ).
          </>
        )}
      </Text>
      <Title order={3} size="md" className={classes.section}>
        Push an existing repository
      </Title>
      <Command text={steps.existing} />
      <Title order={3} size="md" className={classes.section}>
        Or start a new one
      </Title>
      <Command text={steps.fresh} />
      <Group gap="sm" mt="md">
        <AddMenu place={{ ref: project.default_branch ?? 'main', path: '' }} />
      </Group>
    </EmptyState>
  );
}
