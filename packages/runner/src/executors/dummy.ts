/** An executor for tests: no process; each command is one simple instruction. */
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Executor, Stage } from './types.ts';

type Run = { stage: Stage; output: (chunk: Buffer) => void; signal: AbortSignal };

const instructions: Record<string, (words: string[], run: Run) => Promise<number>> = {
  async echo(words, { output }) {
    output(Buffer.from(`${words.join(' ')}\n`));
    return 0;
  },
  /** `env NAME` prints a variable. */
  async env([name = ''], { stage, output }) {
    output(Buffer.from(`${stage.env[name] ?? ''}\n`));
    return 0;
  },
  /** `sleep MILLISECONDS`, or until the job is aborted. */
  async sleep([milliseconds = '0'], { signal }) {
    return await sleep(Number(milliseconds), 0, { signal }).catch(() => 143);
  },
  async exit([code = '1']) {
    return Number(code);
  },
  /** `write PATH TEXT` makes a file in the workspace; `append` adds to one. */
  async write([path = '', ...words], { stage }) {
    return await put(stage, path, words, writeFile);
  },
  async append([path = '', ...words], { stage }) {
    return await put(stage, path, words, appendFile);
  },
  /** `flood BYTES` prints that many bytes. */
  async flood([size = '0'], { output, signal }) {
    const line = Buffer.from(`${'x'.repeat(1023)}\n`);
    for (let left = Number(size); left > 0 && !signal.aborted; left -= line.length) output(line.subarray(0, left));
    return 0;
  },
};

async function put(stage: Stage, path: string, words: string[], write: typeof writeFile): Promise<number> {
  const file = resolve(stage.cwd, path);
  await mkdir(dirname(file), { recursive: true });
  await write(file, `${words.join(' ')}\n`);
  return 0;
}

/** The dummy executor: `echo`, `env`, `sleep`, `exit`, `write`, `append`, `flood`; anything else prints and succeeds. */
export function dummyExecutor(): Executor {
  return {
    name: 'dummy',
    hasShell: false,
    open: async () => ({
      name: 'dummy',
      async run(stage, output, signal) {
        for (const command of stage.commands) {
          if (signal.aborted) return 143;
          if (stage.echo) output(Buffer.from(`$ ${command}\n`));
          const [name = '', ...words] = command.trim().split(/\s+/);
          const code = await (Object.hasOwn(instructions, name)
            ? instructions[name]!(words, { stage, output, signal })
            : 0);
          if (code !== 0) return code;
        }
        return 0;
      },
      settle: async () => undefined,
    }),
  };
}
