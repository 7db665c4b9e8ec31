/** `script`: the commands of a job. */
import type { Keyword } from './keyword.ts';
import { scriptKeyword } from './script-lines.ts';

export const script: Keyword<string[]> = scriptKeyword({
  name: 'script',
  lint: ({ name, config, markOf }, problems) => {
    const other = config.trigger !== undefined || config.run !== undefined || config.needs?.upstream != null;
    if (config.script === undefined && !other) {
      problems.error(markOf('script'), `jobs ${name} config should implement the script:, run:, or trigger: keyword`);
    } else if (config.script?.every((line) => line.trim() === '')) {
      problems.error(markOf('script'), `jobs:${name}:script config can't be blank`);
    }
  },
});
