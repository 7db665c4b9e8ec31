/** The addresses of a project that git can use. */
import { Button, Popover, Stack, Text, TextInput } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { gitAddresses } from '../../lib/instance.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { FormError } from '../../ui/FormError.tsx';

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

export function CloneMenu({ path }: { path: string }) {
  const [wanted, setWanted] = useState(false);
  const { data: addresses, error } = useQuery({ ...gitAddresses(path), enabled: wanted });
  // Asked for before the click, so that the menu opens with what it shows.
  const want = () => setWanted(true);
  return (
    <Popover position="bottom-end" width={360} withArrow={false} onOpen={want}>
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          rightSection={<IconChevronDown size={14} />}
          onMouseEnter={want}
          onFocus={want}
        >
          Clone
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm" mih={60}>
          <FormError error={error} />
          {addresses?.http ? <Address label="HTTP" value={addresses.http} /> : null}
          {addresses?.ssh ? (
            <>
              <Address label="SSH" value={addresses.ssh} />
              <Link to="/help/instance_configuration">Verify the host</Link>
            </>
          ) : null}
          {addresses && !addresses.http && !addresses.ssh ? <Text>git cannot reach this project here.</Text> : null}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
