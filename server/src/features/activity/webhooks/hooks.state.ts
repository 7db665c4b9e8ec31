/** Whether a hook is called: after failures in a row it pauses, and is switched off in the end. */
import type { WebHook } from '../../../kernel/db/rows.ts';

/** Numbers of the ecosystem. */
export const failuresToPause = 4;
export const failuresToDisable = 40;
/** The first pause is a minute, each one after it twice as long, up to a day. */
export const longestPauseMinutes = 1440;

export const alertStatuses = ['executable', 'temporarily_disabled', 'disabled'] as const;
type AlertStatus = (typeof alertStatuses)[number];

export const isSystemHook = (hook: Pick<WebHook, 'namespace_id' | 'project_id'>): boolean =>
  hook.namespace_id === null && hook.project_id === null;

/** Hooks of the instance are never switched off: what administrators rely on must not go silent. */
export function alertStatus(
  hook: Pick<WebHook, 'namespace_id' | 'project_id' | 'failures' | 'disabled_until'>,
  now = new Date(),
): AlertStatus {
  if (isSystemHook(hook)) return 'executable';
  if (hook.failures >= failuresToDisable) return 'disabled';
  return hook.disabled_until !== null && hook.disabled_until > now ? 'temporarily_disabled' : 'executable';
}
