/** Copies a text and says so. */
import { ActionIcon, CopyButton as Copy } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

export function CopyButton({ value, label }: { value: string; label: string }) {
  return (
    <Copy value={value}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          size={28}
          onClick={copy}
          title={copied ? 'Copied' : label}
          aria-label={copied ? 'Copied' : label}
        >
          {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      )}
    </Copy>
  );
}
