/** Terminals in running jobs: a real shell behind a real WebSocket, and who does not get one. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Harness, harness } from '../testdata/harness.ts';
import { connect } from '../testdata/shell.ts';
import { onTerminal, scriptProgram, shellCommand, terminalOf } from './terminal/pty.ts';

let around: Harness;
beforeAll(async () => {
  around = await harness();
  around.start({ executor: 'shell', slots: 2 });
});
afterAll(() => around.close());

/** A job whose script waits until a file appears, and the offer that came with its request. */
async function waiting(more: Parameters<Harness['job']>[0] = {}) {
  const record = around.run({
    script: ['rm -f go', 'echo ready-now', 'while [ ! -e go ]; do sleep 0.05; done'],
    ...more,
  });
  await expect.poll(() => record.trace.toString()).toContain('\nready-now');
  const offer = around.server.sessions.get(record.payload.id);
  if (!offer) throw new Error('the runner offered no session');
  return { record, offer };
}

it('opens a shell with the directory, variables and size of the job, and waits for it to be closed', async () => {
  const variables = [
    { key: 'GIT_STRATEGY', value: 'none' },
    { key: 'GREETING', value: 'hello there' },
  ];
  const { record, offer } = await waiting({ variables });
  const shell = await connect(offer);
  shell.socket.send(JSON.stringify({ columns: 101, rows: 33 }), { binary: false });
  shell.socket.send(Buffer.from('stty size; echo "<$GREETING>"; pwd; test -t 0 && echo is-a-$((0+1))-tty\n'));
  const said = await shell.until(/is-a-1-tty\r\n/);
  expect(said).toContain('33 101\r\n');
  expect(said).toContain('<hello there>\r\n');
  expect(said).toMatch(/\/project-\d+\/demo\r\n/);
  shell.socket.send(JSON.stringify({ columns: 77, rows: 22 }), { binary: false });
  shell.socket.send(
    Buffer.from('until [ "$(stty size)" = "22 77" ]; do sleep 0.05; done; echo resized-$((1+1)); touch go\n'),
  );
  await shell.until(/resized-2/);
  // The runner does not mind what becomes of the script that the terminal began with.
  const own = 'set -- $HOME/../terminal-*.sh; rm -f "$1"; mkdir "$1" && echo replaced-$((1+2))';
  shell.socket.send(Buffer.from(`${own}\n`));
  await shell.until(/replaced-3/);
  await expect.poll(() => record.trace.toString()).toContain('A terminal is open');
  shell.socket.send(Buffer.from('exit\n'));
  expect(await shell.closed).toEqual({ code: 1000, reason: 'The shell ended' });
  expect((await record.final).state).toBe('success');
});

it('gives a terminal the size that it was told while it started', async () => {
  const script = onTerminal(scriptProgram() ?? '', shellCommand('/bin/sh', false), { columns: 101, rows: 33 });
  const child = spawn('/bin/sh', ['-c', script]);
  const terminal = terminalOf(child, () => child.kill());
  terminal.resize({ columns: 90, rows: 30 });
  terminal.resize({ columns: 77, rows: 22 });
  const looked =
    'for i in $(seq 200); do [ "$(stty size)" = "22 77" ] && echo resized-$((1+1)) && break; sleep 0.05; done';
  terminal.input.end(`${looked}; exit\n`);
  let said = '';
  for await (const bytes of terminal.output) said += bytes;
  expect(said).toContain('resized-2');
});

it('takes characters of several bytes, typed and erased, from pieces that split them', async () => {
  const { record, offer } = await waiting();
  const shell = await connect(offer);
  const split = Buffer.from("printf '<%s>' é日本-$((1+1)); stty -echo; cat | sed -u 's/^/read:/'\n");
  const at = split.indexOf(Buffer.from('é')) + 1;
  shell.socket.send(split.subarray(0, at));
  shell.socket.send(split.subarray(at));
  await shell.until(/<é日本-2>/);
  // Erased by the terminal itself: whole characters, not bytes of them.
  shell.socket.send(Buffer.from('aé日\u007f\u007fb\n'));
  expect(await shell.until(/read:a\S*\r\n/)).toContain('read:ab\r\n');
  shell.socket.send(Buffer.from('\u0004stty echo\ntouch go; exit\n'));
  await shell.closed;
  await record.final;
});

it('says in terminals that the time of the job is up', async () => {
  const { record, offer } = await waiting({ runner_info: { timeout: 2 } });
  const shell = await connect(offer);
  await shell.until(/\$ /);
  expect(await shell.closed).toEqual({ code: 1001, reason: 'The job ended: execution took longer than 2 seconds' });
  expect((await record.final).state).toBe('failed');
});

it('refuses a wrong secret, another session, and any connection once the job is over', async () => {
  const { record, offer } = await waiting();
  await expect(connect(offer, 'wrong')).rejects.toThrow('401');
  const other = { ...offer, url: offer.url.replace(/[^/]+$/, '00000000-0000-0000-0000-000000000000') };
  await expect(connect(other)).rejects.toThrow('404');
  const shell = await connect(offer);
  shell.socket.send(Buffer.from('touch go; exit\n'));
  await shell.closed;
  await record.final;
  await expect.poll(() => connect(offer).then(() => 'open', String), { interval: 20 }).toContain('404');
});

it('ends terminals when the job is canceled, with everything that they started', async () => {
  const { record, offer } = await waiting();
  const shell = await connect(offer);
  shell.socket.send(Buffer.from('echo pid=$$\n'));
  const pid = Number(/pid=(\d+)\r/.exec(await shell.until(/pid=\d+\r/))?.[1]);
  record.status = 'canceled';
  expect(await shell.closed).toEqual({ code: 1001, reason: 'The job was canceled' });
  await expect.poll(() => existsSync(`/proc/${pid}`), { interval: 20 }).toBe(false);
});
