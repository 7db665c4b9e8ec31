/** Whether a webhook is called, in words. */
import { IconCircleCheck, IconCircleX, IconClock } from '@tabler/icons-react';
import type { Hook } from '../../lib/hooks.ts';
import classes from './hooks.module.css';

export function HookState({ hook }: { hook: Hook }) {
  const state = 'alert_status' in hook ? hook.alert_status : 'executable';
  if (state === 'disabled')
    return (
      <span className={classes.tone} data-tone="failed">
        <IconCircleX size={16} aria-hidden /> Disabled after too many failures. A successful test enables it again
      </span>
    );
  if (state === 'temporarily_disabled' && 'disabled_until' in hook && hook.disabled_until)
    return (
      <span className={classes.tone} data-tone="manual">
        <IconClock size={16} aria-hidden />
        <span>
          Paused until <time dateTime={hook.disabled_until}>{new Date(hook.disabled_until).toLocaleString()}</time>
        </span>
      </span>
    );
  return (
    <span className={classes.tone} data-tone="success">
      <IconCircleCheck size={16} aria-hidden /> Executable
    </span>
  );
}
