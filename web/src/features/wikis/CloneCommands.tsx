/** The commands that clone a wiki, below the button that asks for them. */
import { Popover, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { cloneElement, useState } from 'react';
import { gitAddresses } from '../../lib/instance.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { type MenuButton, useOpensAtOnce } from '../../ui/onDemand.tsx';
import type { WikiInView } from './useWiki.ts';

export default function CloneCommands({ target, of }: { target: MenuButton; of: WikiInView }) {
  const [opened, setOpened] = useState(false);
  const button = useOpensAtOnce(target, () => setOpened(true));
  const { data: usable } = useQuery({ ...gitAddresses(of.path), enabled: of.kind === 'project' });
  const commands = [
    ['HTTP', usable && !usable.http ? null : of.addresses.http],
    ['SSH', usable?.ssh ? of.addresses.ssh : null],
  ] as const;
  return (
    <Popover position="bottom-end" width={360} withArrow={false} opened={opened} onChange={setOpened}>
      <Popover.Target>{cloneElement(button, { onClick: () => setOpened(!opened) })}</Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          {commands.map(([label, address]) =>
            address === null ? null : (
              <TextInput
                key={label}
                label={`With ${label}`}
                readOnly
                value={`git clone ${address}`}
                onFocus={(event) => event.currentTarget.select()}
                rightSection={<CopyButton value={`git clone ${address}`} label={`Copy the command with ${label}`} />}
              />
            ),
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
