/** A person: picture and name. */
import { Avatar } from '@mantine/core';
import classes from './ui.module.css';

export function UserChip({
  user,
}: {
  user: { name: string; username?: string; avatar_url?: string | null } | null | undefined;
}) {
  if (!user) return <span className={classes.dim}>nobody</span>;
  return (
    <span className={classes.chip} title={user.username ? `@${user.username}` : undefined}>
      <Avatar src={user.avatar_url ?? null} name={user.name} size={20} color="race" variant="filled" alt="" />
      {user.name}
    </span>
  );
}
