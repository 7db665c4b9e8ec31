/** What a job can reach: nothing of ours. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Harness, harness } from '../testdata/harness.ts';
import { bubblewrapWorks, findBubblewrap } from './executors/bubblewrap.ts';
import { DEFAULT_PATH } from './runner.ts';

// Skipped without root: only root gives each slot a uid of its own.
const isRoot = process.geteuid?.() === 0;
const account = isRoot ? { uid: 64400, gid: 64400 } : undefined;
const bubblewrap = findBubblewrap(process.env.PATH ?? DEFAULT_PATH);
// Skipped where bubblewrap is missing or the system refuses its namespaces: nothing else makes these.
const hasBubblewrap = bubblewrap !== undefined && (await bubblewrapWorks(bubblewrap, account));

let h: Harness;
beforeEach(async () => {
  h = await harness();
});
afterEach(() => h.close());

/** Each line is a way to something that is not the job's; it prints LEAK when it gets there. */
function attempts(target: { dataFile: string; otherWorkspace: string; pid: number; workDir: string }): string[] {
  const tries = [
    `cat ${target.dataFile}`,
    `ls ${target.otherWorkspace}`,
    `cat /proc/${target.pid}/environ | tr '\\0' '\\n' | grep .`,
    `ls ${target.workDir}/cache ${target.workDir}/spool`,
    `kill -0 ${target.pid}`,
    'sudo -n true',
    'su -c true root',
  ];
  return tries.map((text, index) => `if ${text} >/dev/null 2>&1; then echo "LEAK-${index}"; fi`);
}

async function attack(executor: 'shell' | 'bubblewrap'): Promise<string> {
  const data = join(h.root, 'data');
  mkdirSync(data);
  writeFileSync(join(data, 'secret'), 'secret of the server');
  chmodSync(data, 0o700);
  h.start({ slots: 2, executor, hidden: [data], path: process.env.PATH });
  const holder = h.job({ script: ['echo private > mine', 'echo "at $PWD"', 'sleep 20'] });
  holder.job_info.project_id = 9;
  const victim = h.server.enqueue(holder);
  await expect.poll(() => victim.trace.toString()).toMatch(/^at .*project-9/m);
  const otherWorkspace = /^at (.*)$/m.exec(victim.trace.toString())![1]!;
  const plant = `echo x > ${h.workDir}/builds/planted || true`;
  const script = attempts({ dataFile: join(data, 'secret'), otherWorkspace, pid: process.pid, workDir: h.workDir });
  const attacker = h.run({
    script: [plant, ...script, 'id -u', 'grep -E "NoNewPrivs|CapEff" /proc/self/status', 'ls /proc | grep -c "^[0-9]"'],
  });
  await attacker.final;
  victim.status = 'canceled';
  expect(existsSync(join(h.workDir, 'builds/planted'))).toBe(false);
  return attacker.trace.toString();
}

test.runIf(isRoot)(
  '[security 25] a job cannot reach data, environment, caches, other workspaces or privileges (shell)',
  async () => {
    const trace = await attack('shell');
    expect(trace).not.toMatch(/^LEAK/m);
    expect(trace).toMatch(/^644\d\d$/m);
    expect(trace).toMatch(/^CapEff:\s+0000000000000000$/m);
    expect(trace).toMatch(/^NoNewPrivs:\s+1$/m);
  },
);

test.runIf(hasBubblewrap)(
  '[security 25] the same in namespaces, which show no other processes either (bubblewrap)',
  async () => {
    const trace = await attack('bubblewrap');
    expect(trace).not.toMatch(/^LEAK/m);
    expect(trace).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(Number(/^(\d{1,2})$/m.exec(trace.slice(trace.indexOf('NoNewPrivs')))![1])).toBeLessThan(10);
  },
);

test.runIf(hasBubblewrap)('a job in namespaces is canceled with all its processes (bubblewrap)', async () => {
  h.start({ executor: 'bubblewrap', path: process.env.PATH });
  const record = h.run({
    script: ['trap "echo polite; exit 1" TERM', 'echo started', 'sleep 30 & wait'],
    after: ['echo after'],
  });
  await expect.poll(() => record.trace.toString()).toContain('\nstarted\n');
  record.status = 'canceling';
  await record.final;
  expect(record.trace.toString()).toMatch(/^polite$/m);
  expect(record.trace.toString()).toMatch(/^after$/m);
});

test.runIf(isRoot)('[security 25] a later job of the slot cannot read the workspace of another project', async () => {
  h.start();
  const first = h.run({ script: ['echo private > mine; pwd > where; cat where'] });
  await first.final;
  const path = /^(\/.*project-7\/demo)$/m.exec(first.trace.toString())![1]!;
  const other = h.job({ script: [`cat ${path}/mine && echo LEAK; true`] });
  other.job_info.project_id = 8;
  const second = h.server.enqueue(other);
  await second.final;
  expect(second.trace.toString()).not.toMatch(/^LEAK/m);
  expect(second.trace.toString()).toContain('Permission denied');
});

test.runIf(isRoot)(
  '[security 25] variables of the job reach no program before its privileges are dropped',
  async () => {
    h.start({ limits: { processes: 100, diskBytes: 1024 ** 3 } });
    // What the loader of programs writes, it writes as whoever is started: with LD_PRELOAD it would run what the job likes.
    const open = join(h.root, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    const variables = [
      { key: 'GIT_STRATEGY', value: 'none' },
      { key: 'LD_DEBUG', value: 'libs' },
      { key: 'LD_DEBUG_OUTPUT', value: `${open}/loader` },
    ];
    const record = h.run({
      variables,
      script: ['/bin/true', 'echo "limit $(ulimit -Hu)"', 'echo "core $(ulimit -Hc)"'],
    });
    expect((await record.final).state).toBe('success');
    expect(record.trace.toString()).toMatch(/^limit 100$/m);
    expect(record.trace.toString()).toMatch(/^core 0$/m);
    const owners = readdirSync(open).map((name) => statSync(join(open, name)).uid);
    expect(owners.length).toBeGreaterThan(0);
    expect(owners).not.toContain(0);
  },
);

test('names that belong to the shell do not fail the job, and values are taken as they are', async () => {
  h.start();
  const variables = [
    { key: 'GIT_STRATEGY', value: 'none' },
    { key: 'UID', value: '0' },
    { key: 'SHELLOPTS', value: 'xtrace' },
    { key: 'QUOTED', value: `it's "$HOME" \`echo no\` \\ ü`, raw: true },
    { key: 'LINES_OF', value: 'one\ntwo\n' },
  ];
  const record = h.run({ variables, script: ['printf "<%s>\\n" "$QUOTED"', 'printf "%s" "$LINES_OF" | wc -l'] });
  expect((await record.final).state).toBe('success');
  expect(record.trace.toString()).toContain(`<it's "$HOME" \`echo no\` \\ ü>`);
  expect(record.trace.toString()).toMatch(/^2$/m);
});

test.runIf(isRoot)(
  '[security 25] what a job leaves where everybody may write goes with it, and nothing else',
  async () => {
    const places = ['/tmp', '/var/tmp', '/dev/shm'].map((place) => `${place}/millrace-left-${process.pid}`);
    const others = mkdtempSync('/tmp/millrace-others-');
    writeFileSync(join(others, 'kept'), 'kept');
    h.start();
    const record = h.run({
      script: places.flatMap((place) => [
        `mkdir -p ${place}/closed && echo secret > ${place}/closed/file && ln -s ${others} ${place}/link`,
        `chmod 0 ${place}/closed`,
        `ln -s ${others} ${place}-link`,
      ]),
    });
    expect(await record.final).toMatchObject({ state: 'success' });
    expect(places.filter((place) => existsSync(place) || existsSync(`${place}-link`))).toEqual([]);
    expect(existsSync(join(others, 'kept'))).toBe(true);
    rmSync(others, { recursive: true });
  },
);

// Skipped without python3: few programs can end their first thread alone.
test.runIf(existsSync('/usr/bin/python3'))(
  '[security 25] a process whose first thread has ended does not outlive its job',
  async () => {
    h.start();
    const lines = ['import ctypes, threading, time', 'threading.Thread(target=time.sleep, args=(300,)).start()'];
    const program = [...lines, 'ctypes.CDLL(None).pthread_exit(None)'].join('\n');
    const record = h.run({
      script: [
        `setsid python3 -c '${program}' </dev/null >/dev/null 2>&1 & pid=$!`,
        'until grep -q "^State:.Z" /proc/$pid/status; do sleep 0.05; done; echo "left $pid behind"',
      ],
    });
    expect(await record.final).toMatchObject({ state: 'success' });
    const pid = /^left (\d+) behind/m.exec(record.trace.toString())?.[1];
    expect(Number(pid)).toBeGreaterThan(0);
    // The system takes its entry away in its own time.
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  },
);

test.runIf(isRoot)('two runners of one host never use the same uid', async () => {
  h.start();
  const other = await harness();
  try {
    other.start();
    const records = [h.run({ script: ['id -u'] }), other.run({ script: ['id -u'] })];
    await Promise.all(records.map((record) => record.final));
    const uids = records.map((record) => /^(644\d\d)$/m.exec(record.trace.toString())![1]);
    expect(new Set(uids).size).toBe(2);
  } finally {
    await other.close();
  }
});

test.runIf(isRoot)(
  'a work directory that jobs could not reach is refused with the name of what blocks it',
  async () => {
    const closed = join(h.root, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    await expect(h.start({ workDir: join(closed, 'work') }).ended).rejects.toThrow(`cannot pass ${closed}:`);
  },
);
