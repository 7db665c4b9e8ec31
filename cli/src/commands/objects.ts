/** `millrace objects`: artifacts, logs, uploads and LFS objects from one storage to another. */
import { configure, operations } from '@millrace/server/main';
import { parse, UsageError } from '../arguments.ts';
import type { Command } from '../command.ts';

/** Objects between two lines of progress. */
const step = 1000;

export const objectsCommand: Command = {
  name: 'objects',
  summary: 'Copy stored objects from another place to the one that is configured',
  usage: ['millrace objects copy FROM [--json]   FROM as in MILLRACE_OBJECTS: file:/path or s3://bucket/prefix?...'],
  run: async ([form, ...rest], { env, print }) => {
    if (form !== 'copy') throw new UsageError(form ? `there is no objects ${form}` : 'copy is missing');
    const { words, options } = parse(rest, ['FROM'], { json: 'boolean' });
    const { values } = configure(env);
    const { values: from } = configure({ ...env, MILLRACE_OBJECTS: words[0] });
    if (from.objects === values.objects) throw new UsageError('FROM is the place that is configured');
    const { copyObjectsFrom } = await operations();
    const result = await copyObjectsFrom(values, from.objects, ({ copied, there }) => {
      if (!options.json && (copied + there) % step === 0) print(`${copied + there} objects ...`);
    });
    print(
      options.json
        ? JSON.stringify(result)
        : `copied ${result.copied} objects (${result.bytes} bytes), ${result.there} were there`,
    );
    return 0;
  },
};
