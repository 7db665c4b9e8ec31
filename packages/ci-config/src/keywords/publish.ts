/** `publish`: the folder of a site, for jobs that say it beside `pages`. */
import type { Keyword } from './keyword.ts';
import { textOf } from './read.ts';
import { name as nonEmpty } from './schema.ts';

const DEFAULT = 'public';

export const publish: Keyword<string> = {
  name: 'publish',
  schema: nonEmpty,
  normalise: (node) => textOf(node) ?? DEFAULT,
  lint: ({ name, config, markOf }, problems) => {
    if (config.publish === undefined || publishedFolder(name, config) !== null) return;
    problems.error(markOf('publish'), `jobs:${name} publish can only be used within a \`pages\` job`);
  },
};

/** The folder that a job publishes as a site; null when it makes none. A job called `pages` does unless it says otherwise. */
export function publishedFolder(
  job: string,
  config: {
    readonly pages?: { readonly enabled: boolean; readonly publish: string | null };
    readonly publish?: string;
  },
): string | null {
  const makesPages = config.pages ? config.pages.enabled : job === 'pages';
  return makesPages ? (config.pages?.publish ?? config.publish ?? DEFAULT) : null;
}
