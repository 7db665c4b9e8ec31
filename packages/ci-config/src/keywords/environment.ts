/** `environment`: where a job deploys to; its name is expanded when the job is compiled. */
import type { Keyword } from './keyword.ts';
import { field, textOf } from './read.ts';
import { duration, either, hash, isHash, isText, name, oneOf, type Schema, text } from './schema.ts';

export type Environment = {
  readonly name: string;
  readonly url: string | null;
  readonly action: string;
  readonly onStop: string | null;
  readonly autoStopIn: string | null;
  readonly deploymentTier: string | null;
};

/** What the name of an environment may contain; variables in it are expanded later. */
const namePattern = /^[\w ./${}-]+$/;
const environmentName: Schema = (node, at, problems) => {
  if (!name(node, at, problems)) return false;
  const given = isText(node) ? node.text : '';
  if (namePattern.test(given) && !given.startsWith('/') && !given.endsWith('/')) return true;
  problems.error(
    node.mark,
    `${at.path} ${at.noun} can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'`,
  );
  return false;
};

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
            url: text,
            action: oneOf(['start', 'stop', 'prepare', 'verify', 'access']),
            on_stop: text,
            auto_stop_in: duration(Number.POSITIVE_INFINITY, ['never']),
            deployment_tier: oneOf(['production', 'staging', 'testing', 'development', 'other']),
          },
          required: ['name'],
          unsupported: ['kubernetes'],
        }),
      ],
    ],
    'should be a hash or a string',
  ),
  normalise: (node) => ({
    name: textOf(node) ?? textOf(field(node, 'name')) ?? '',
    url: textOf(field(node, 'url')),
    action: textOf(field(node, 'action')) ?? 'start',
    onStop: textOf(field(node, 'on_stop')),
    autoStopIn: textOf(field(node, 'auto_stop_in')),
    deploymentTier: textOf(field(node, 'deployment_tier')),
  }),
};
