/** `environment`: where a job deploys to; its name is expanded when the job is compiled. */

import type { Node } from '../yaml/tree.ts';
import { environmentName } from './environment-name.ts';
import type { Keyword } from './keyword.ts';
import { field, textOf } from './read.ts';
import { duration, either, hash, isHash, isText, noLonger, oneOf, orVariable, type Schema, text } from './schema.ts';

export type Environment = {
  readonly name: string;
  readonly url: string | null;
  readonly action: string;
  readonly onStop: string | null;
  readonly autoStopIn: string | null;
  readonly deploymentTier: string | null;
  /** Where it runs in a cluster. */
  readonly kubernetes?: KubernetesPlace | undefined;
};

export type KubernetesPlace = { readonly namespace: string | null; readonly fluxResourcePath: string | null };

/** The tiers that an environment may have. */
export const TIERS = ['production', 'staging', 'testing', 'development', 'other'] as const;
/** A duration of `auto_stop_in` without end. */
export const NEVER = 'never';

const TIERS_SAID = `must be one of ${TIERS.join(', ')}`;
export const tierProblem = `deployment_tier ${TIERS_SAID}`;
const PLACE = ['namespace', 'flux_resource_path'] as const;
const place = { namespace: text, flux_resource_path: text };
/** Agents and what they manage are not there yet; the namespace is kept, so that people find what was deployed. */
const cluster = hash({
  keys: { ...place, dashboard: hash({ keys: place, unsupported: ['agent'] }) },
  unsupported: ['agent', 'managed_resources'],
});
const kubernetes: Schema = (node, at, problems) => {
  if (!cluster(node, at, problems)) return false;
  const dashboard = field(node, 'dashboard');
  const twice = PLACE.filter((key) => field(node, key) && field(dashboard, key));
  for (const key of twice) {
    const mark = field(node, key)!.mark;
    problems.error(mark, `${at.path}:${at.noun} ${key} cannot be specified when dashboard.${key} is set`);
  }
  return twice.length === 0;
};

function kubernetesOf(node: Node | undefined): KubernetesPlace | null {
  if (!node) return null;
  const dashboard = field(node, 'dashboard');
  const of = (key: string) => textOf(field(dashboard, key)) ?? textOf(field(node, key));
  return { namespace: of('namespace'), fluxResourcePath: of('flux_resource_path') };
}

export const environment: Keyword<Environment> = {
  name: 'environment',
  schema: either(
    [
      [isText, environmentName],
      [
        isHash,
        hash({
          keys: {
            name: environmentName,
            url: noLonger(255, text),
            action: oneOf(
              ['start', 'stop', 'prepare', 'verify', 'access'],
              'should be start, stop, prepare, verify, or access',
            ),
            on_stop: text,
            auto_stop_in: orVariable(duration(Number.POSITIVE_INFINITY, [NEVER])),
            deployment_tier: orVariable(oneOf(TIERS, TIERS_SAID)),
            kubernetes,
          },
          required: ['name'],
        }),
      ],
    ],
    'should be a hash or a string',
  ),
  normalise: (node) => {
    const cluster = kubernetesOf(field(node, 'kubernetes'));
    return {
      name: textOf(node) ?? textOf(field(node, 'name')) ?? '',
      url: textOf(field(node, 'url')),
      action: textOf(field(node, 'action')) ?? 'start',
      onStop: textOf(field(node, 'on_stop')),
      autoStopIn: textOf(field(node, 'auto_stop_in')),
      deploymentTier: textOf(field(node, 'deployment_tier')),
      ...(cluster ? { kubernetes: cluster } : {}),
    };
  },
};
