/** For those who have no SSH key yet. */
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';

export function KeyMissing() {
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
