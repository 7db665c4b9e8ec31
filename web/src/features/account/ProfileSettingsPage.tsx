/** What others see of oneself: picture, status, details. */

import { toSegment } from '../../lib/urls.ts';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { AvatarSettings } from './AvatarSettings.tsx';
import { DetailSettings } from './DetailSettings.tsx';
import { StatusSettings } from './StatusSettings.tsx';
import { useOwnAccount } from './useOwnAccount.ts';

export default function ProfileSettingsPage() {
  const { account } = useOwnAccount();
  return (
    <Page
      title="Profile"
      narrow
      actions={
        <LinkButton to="/o/$path" params={{ path: toSegment(account.username) }}>
          View profile
        </LinkButton>
      }
    >
      <AvatarSettings />
      <StatusSettings />
      <DetailSettings />
    </Page>
  );
}
