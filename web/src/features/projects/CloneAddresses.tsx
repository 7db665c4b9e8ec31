/** What the clone button opens. */
import { Anchor, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { cloneElement, useState } from 'react';
import { gitAddresses } from '../../lib/instance.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { type MenuButton, useOpensAtOnce } from '../../ui/onDemand.tsx';

function Address({ label, value }: { label: string; value: string }) {
  return (
    <TextInput
      label={label}
      readOnly
      value={value}
      onFocus={(event) => event.currentTarget.select()}
      rightSection={<CopyButton value={value} label={`Copy the address for ${label}`} />}
    />
  );
}

/** For those who have no SSH key yet. */
function KeyMissing() {
  return (
    <Text size="sm">
      You cannot pull or push over SSH until you{' '}
      <Anchor component={Link} to="/-/user_settings/ssh_keys" underline="always" inherit>
        add an SSH key
      </Anchor>
      .
    </Text>
  );
}

export default function CloneAddresses({ path, target }: { path: string; target: MenuButton }) {
  const { data: addresses, error } = useQuery(gitAddresses(path));
  const [opened, setOpened] = useState(false);
  const button = useOpensAtOnce(target, () => setOpened(true));
  return (
    <Popover position="bottom-end" width={360} withArrow={false} opened={opened} onChange={setOpened}>
      <Popover.Target>{cloneElement(button, { onClick: () => setOpened(!opened) })}</Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm" mih={60}>
          <FormError error={error} />
          {addresses?.http ? <Address label="HTTP" value={addresses.http} /> : null}
          {addresses?.ssh ? (
            <>
              <Address label="SSH" value={addresses.ssh} />
              {addresses.ssh_key_missing ? <KeyMissing /> : null}
              <Link to="/help/instance_configuration">SSH host key fingerprints</Link>
            </>
          ) : null}
          {addresses && !addresses.http && !addresses.ssh ? <Text>git access to this project is disabled.</Text> : null}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
