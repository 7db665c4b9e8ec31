/** Recovery codes, the one time they are shown. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { Command } from '../../ui/EmptyState.tsx';

export function RecoveryCodes({ codes, close }: { codes: readonly string[]; close: () => void }) {
  return (
    <Alert variant="light" title="Save these recovery codes now: they are not shown again" role="status">
      <Stack gap="sm">
        <Text>Each code signs you in once if you lose access to your second factor.</Text>
        <Command text={codes.join('\n')} label="Copy the recovery codes" />
        <Group>
          <Button size="xs" variant="default" onClick={close}>
            I have saved them
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
