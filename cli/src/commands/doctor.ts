/** `millrace doctor`: looks at everything that the server needs. */
import { configure, operations } from '@millrace/server/main';
import { parse } from '../arguments.ts';
import { type Command, table } from '../command.ts';
import { gitFinding } from '../git-version.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check git, the data directory, the database and the storages; exit code 1 when something is wrong',
  usage: [
    'millrace doctor [--fsck] [--objects] [--json]   also what is in every repository; every stored object that is named',
  ],
  run: async (args, { env, print }) => {
    const { options } = parse(args, [], { json: 'boolean', fsck: 'boolean', objects: 'boolean' });
    const { values } = configure(env);
    const { doctor } = await operations();
    const findings = [
      await gitFinding(),
      ...(await doctor(values, { fsck: options.fsck === true, objects: options.objects === true })),
    ];
    if (options.json) print(JSON.stringify(findings, null, 2));
    else
      for (const line of table(findings.map(({ check, ok, message }) => [ok ? 'ok  ' : 'FAIL', check, message])))
        print(line);
    return findings.every(({ ok }) => ok) ? 0 : 1;
  },
};
