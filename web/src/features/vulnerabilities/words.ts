/** Words for what vulnerabilities have: severities, states, scanners, decisions. */
import type { Decision, Vulnerability } from '../../lib/vulnerabilities.ts';

export const scanners = [
  ['sast', 'SAST'],
  ['secret_detection', 'Secret detection'],
  ['dependency_scanning', 'Dependency scanning'],
  ['container_scanning', 'Container scanning'],
  ['cluster_image_scanning', 'Cluster image scanning'],
  ['dast', 'DAST'],
  ['api_fuzzing', 'API fuzzing'],
  ['coverage_fuzzing', 'Coverage fuzzing'],
] as const;

export const scannerName = (type: string) => scanners.find(([value]) => value === type)?.[1] ?? type;

/** What may be decided next. */
export function choicesFor({ state }: Vulnerability): readonly (readonly [Decision, string])[] {
  if (state === 'resolved' || state === 'dismissed') return [['revert', 'Revert']];
  const confirm = [['confirm', 'Confirm']] as const;
  return [...(state === 'confirmed' ? [] : confirm), ['resolve', 'Resolve'], ['dismiss', 'Dismiss']];
}
