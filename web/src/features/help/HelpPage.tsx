/** Where help is: the reference of the API, the limits of this instance, the keys. */
import { Kbd, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Page } from '../../ui/Page.tsx';
import classes from './help.module.css';

export default function HelpPage() {
  return (
    <Page title="Help">
      <ul className={classes.places}>
        <li>
          <Link to="/api/docs">API reference</Link>: every operation with its parameters and responses
        </li>
        <li>
          <Link to="/help/instance_configuration">Configuration of this instance</Link>: host keys, sizes and limits
        </li>
        <li>
          <Link to="/-/user_settings/personal_access_tokens">Access tokens</Link> and{' '}
          <Link to="/-/user_settings/ssh_keys">SSH keys</Link> for git and API clients
        </li>
      </ul>
      <Text>
        <Kbd>?</Kbd> on any page lists its keys, <Kbd>Ctrl</Kbd> <Kbd>K</Kbd> goes to projects and groups by name.
      </Text>
    </Page>
  );
}
