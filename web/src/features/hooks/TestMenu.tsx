/** The events that a webhook can be tried with. */
import { Menu } from '@mantine/core';
import { useState } from 'react';
import type { HookEventName } from '../../lib/hooks.ts';
import { type MenuButton, useOpensAtOnce } from '../../ui/onDemand.tsx';

interface Props {
  readonly target: MenuButton;
  readonly samples: ReadonlyArray<readonly [HookEventName, string]>;
  test(event: HookEventName): void;
}

export default function TestMenu({ target, samples, test }: Props) {
  const [opened, setOpened] = useState(false);
  const button = useOpensAtOnce(target, () => setOpened(true));
  return (
    <Menu position="bottom-end" width={200} opened={opened} onChange={setOpened}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {samples.map(([event, word]) => (
          <Menu.Item key={event} onClick={() => test(event)}>
            {word}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
