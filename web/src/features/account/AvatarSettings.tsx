/** One's own picture. */
import { client, unwrap } from '../../lib/api.ts';
import { Guidelines } from '../../ui/Guidelines.tsx';
import { PictureField } from '../../ui/PictureField.tsx';
import { useOwnAccount } from './useOwnAccount.ts';

export function AvatarSettings() {
  const { account, again } = useOwnAccount();
  return (
    <>
      <PictureField
        src={account.avatar_url}
        name={account.name}
        alt="Avatar"
        round
        save={async (form) => {
          await unwrap(client.PUT('/user/avatar', { body: { avatar: null }, bodySerializer: () => form }));
          await again();
        }}
      />
      <Guidelines of="profile_image_html" />
    </>
  );
}
