/** What everybody may know of this instance: how to be sure of its SSH server, and how much of what it takes. */
import { Stack, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { configuration, type InstanceConfiguration } from '../../lib/instance.ts';
import { knownHosts, limitSections } from '../../lib/instance-words.ts';
import { Command } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import ui from '../../ui/ui.module.css';
import classes from './help.module.css';

function HostKeys({ ssh }: { ssh: InstanceConfiguration['ssh'] }) {
  if (!ssh) return <Text>git over SSH is not available on this instance.</Text>;
  return (
    <Stack gap="md">
      <Text>
        The first time that you connect to {ssh.host}, port {ssh.port}, SSH shows a fingerprint. It must be one of
        these.
      </Text>
      <table className={ui.table} aria-label="SSH host keys">
        <thead>
          <tr>
            <th>Algorithm</th>
            <th>Fingerprint</th>
          </tr>
        </thead>
        <tbody>
          {ssh.host_keys.map(({ type, fingerprint_sha256 }) => (
            <tr key={type}>
              <td>{type}</td>
              <td className={ui.mono}>{fingerprint_sha256}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Text>Or add these lines to ~/.ssh/known_hosts to skip the question.</Text>
      <Command text={knownHosts(ssh)} label="Copy the lines of known_hosts" />
    </Stack>
  );
}

export default function InstanceConfigurationPage() {
  const { data } = useSuspenseQuery(configuration());
  return (
    <Page title="Instance configuration">
      <Stack gap="xl">
        <section aria-label="SSH host keys">
          <Title order={2} size="h4" mb="sm">
            SSH host keys
          </Title>
          <HostKeys ssh={data.ssh} />
        </section>
        {limitSections(data).map(([title, rows]) => (
          <section key={title} aria-label={title}>
            <Title order={2} size="h4" mb="sm">
              {title}
            </Title>
            {rows.length === 0 ? <Text>No rate limits are set.</Text> : null}
            <dl className={classes.limits}>
              {rows.map(([what, value]) => (
                <div key={what}>
                  <dt>{what}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </Stack>
    </Page>
  );
}
