/** Where help is: the reference of the API, the limits of this instance, the keys. */
import { Anchor, Kbd, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { configuration } from '../../lib/instance.ts';
import { MarkdownBody } from '../../ui/MarkdownBody.tsx';
import { Page } from '../../ui/Page.tsx';
import classes from './help.module.css';

export default function HelpPage() {
  const { help } = useSuspenseQuery(configuration()).data;
  return (
    <Page title="Help">
      {help.text_html ? <MarkdownBody html={help.text_html} /> : null}
      <ul className={classes.places}>
        {help.documentation_url ? (
          <li>
            <Anchor href={help.documentation_url}>Documentation</Anchor>
          </li>
        ) : null}
        {help.support_url ? (
          <li>
            <Anchor href={help.support_url}>Support</Anchor>
          </li>
        ) : null}
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
