/** Whether a runner takes jobs: an icon and a word. */
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconPlayerPause,
} from '@tabler/icons-react';
import classes from './runners.module.css';

const states = {
  online: ['Online', IconCircleCheck, 'good'],
  offline: ['Offline', IconCircleX, 'bad'],
  stale: ['Stale', IconAlertTriangle, 'bad'],
  never_contacted: ['Never contacted', IconCircleDashed, 'dim'],
  paused: ['Paused', IconPlayerPause, 'dim'],
} as const;

export function RunnerState({ runner }: { runner: { readonly paused: boolean; readonly status: string } }) {
  const name = runner.paused ? 'paused' : (runner.status as keyof typeof states);
  const [word, Icon, tone] = states[name] ?? [runner.status, IconCircleDashed, 'dim'];
  return (
    <span className={classes.state} data-tone={tone}>
      <Icon size={16} aria-hidden /> {word}
    </span>
  );
}
