/** Who may see a project or group: icon and word. */
import { IconLock, IconShield, IconWorld } from '@tabler/icons-react';
import classes from './projects.module.css';

const looks = {
  private: [IconLock, 'Private'],
  internal: [IconShield, 'Internal'],
  public: [IconWorld, 'Public'],
} as const;

export function Visibility({ level }: { level: keyof typeof looks }) {
  const [Icon, word] = looks[level];
  return (
    <span className={classes.visibility}>
      <Icon size={14} aria-hidden />
      {word}
    </span>
  );
}

export const visibilities: { value: keyof typeof looks; label: string; description: string }[] = [
  { value: 'private', label: 'Private', description: 'Only members' },
  { value: 'internal', label: 'Internal', description: 'All signed-in users' },
  { value: 'public', label: 'Public', description: 'Everyone, without signing in' },
];
