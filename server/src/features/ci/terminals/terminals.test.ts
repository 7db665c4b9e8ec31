/** Terminals of jobs: a runner with a session as official ones have it, and a browser's or a program's WebSocket. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import forge from 'node-forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import {
  type Account,
  eventually,
  type JobPayload,
  type ProtocolRunner,
  startWorld,
  type TestProject,
  type World,
} from '../../../../test/ci.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { sessionOffer } from './terminals.service.ts';

interface Opened {
  readonly id: number;
  readonly url: string;
  readonly ticket: string;
  readonly subprotocols: string[];
  readonly max_session_time: number;
}

let world: World;
let project: TestProject;
let runner: ProtocolRunner;
let developer: Account;
let maintainer: Account;
/** The session server of the runner: says what it was asked with, and repeats what it hears. */
let far: Server;
let certificate: string;
const asked: { url: string | undefined; authorization: string | undefined; protocols: string | undefined }[] = [];
const secret = 'canary-of-the-runner-0815';

/** A certificate for 127.0.0.1, as runners make one for their session server. */
function selfSigned(): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const made = forge.pki.createCertificate();
  made.publicKey = forge.pki.publicKeyFromPem(publicKey);
  made.serialNumber = '01';
  made.validity.notBefore = new Date(Date.now() - 86_400_000);
  made.validity.notAfter = new Date(Date.now() + 86_400_000);
  const name = [{ name: 'commonName', value: 'runner' }];
  made.setSubject(name);
  made.setIssuer(name);
  made.setExtensions([
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
  ]);
  made.sign(forge.pki.privateKeyFromPem(privateKey), forge.md.sha256.create());
  return { key: privateKey, cert: forge.pki.certificateToPem(made) };
}

async function member(access_level: number): Promise<Account> {
  const account = await world.account();
  const json = { user_id: account.user.id, access_level };
  await world.app.api('POST', `/projects/${project.id}/members`, { token: world.owner.token, json });
  return account;
}

beforeAll(async () => {
  world = await startWorld();
  const settings = { allow_local_requests_from_system_hooks: true };
  await world.app.api('PUT', '/application/settings', { token: world.admin.token, json: settings });
  project = await world.project();
  runner = await world.runner();
  developer = await member(Level.developer);
  maintainer = await member(Level.maintainer);
  // Jobs for all tests: each takes those that it needs.
  await project.push('test:\n  parallel: 12\n  script: sleep 100\n');
  const made = selfSigned();
  certificate = made.cert;
  far = createServer(made);
  const sockets = new WebSocketServer({ server: far, handleProtocols: () => 'terminal.gitlab.com' });
  sockets.on('connection', (socket, request) => {
    const { authorization, 'sec-websocket-protocol': protocols } = request.headers;
    asked.push({ url: request.url, authorization, protocols });
    socket.send('$ ');
    socket.on('message', (data) => {
      if (String(data) === 'exit\n') socket.close(1000, 'The shell ended');
      else if (String(data) === 'lose\n') socket.terminate();
      else if (String(data) === 'cancel\n') socket.close(1001, 'The job was canceled');
      else if (String(data) === 'fail\n') socket.close(1011, 'spawn script ENOENT');
      else socket.send(`you said ${String(data)}`);
    });
  });
  far.listen(0, '127.0.0.1');
  await once(far, 'listening');
});
afterAll(async () => {
  far.closeAllConnections();
  far.close();
  await world.close();
});

const session = () => ({
  url: `https://127.0.0.1:${(far.address() as AddressInfo).port}/session/0b5e`,
  certificate,
  authorization: secret,
});

/** A job that runs, started by the owner of the project, with what its runner said of terminals. */
async function running(more: Record<string, unknown> = { session: session() }): Promise<JobPayload> {
  return await eventually('a job for the runner', async () => {
    const answer = await runner.request('', more);
    return answer.status === 201 && (JSON.parse(answer.text) as JobPayload);
  });
}

const open = (job: JobPayload, token = world.owner.token) =>
  world.app.api<Opened & { message?: string }>('POST', `/projects/${project.id}/jobs/${job.id}/terminal`, { token });

interface Shell {
  readonly socket: WebSocket;
  readonly said: () => string;
  readonly closed: Promise<{ code: number; reason: string }>;
}

async function connect(opened: Opened, protocols = ['terminal.gitlab.com'], ticket = opened.ticket): Promise<Shell> {
  // The application of tests has another address than it says.
  const url = new URL(opened.url);
  const socket = new WebSocket(`${world.app.url.replace(/^http/, 'ws')}${url.pathname}`, [
    ...protocols,
    `ticket.${ticket}`,
  ]);
  let said = '';
  socket.on('message', (data) => {
    said += String(data);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return { socket, said: () => said, closed };
}

describe('a terminal', () => {
  it('reaches the session of the runner with its secret, and both sides hear each other', async () => {
    const job = await running();
    const { body: shown } = await world.app.api<{ terminal: boolean }>(
      'GET',
      `/projects/${project.id}/jobs/${job.id}`,
      {
        token: world.owner.token,
      },
    );
    expect(shown.terminal).toBe(true);
    const opened = await open(job);
    expect(opened.status).toBe(201);
    expect(opened.body).toMatchObject({ max_session_time: 0 });
    expect(opened.body.url).toMatch(new RegExp(`^ws.*/${project.path}/-/jobs/${job.id}/terminal\\.ws$`));
    const shell = await connect(opened.body);
    expect(shell.socket.protocol).toBe('terminal.gitlab.com');
    await expect.poll(shell.said).toBe('$ ');
    shell.socket.send('ls');
    await expect.poll(shell.said).toBe('$ you said ls');
    expect(asked.at(-1)).toEqual({
      url: '/session/0b5e/exec',
      authorization: secret,
      protocols: 'terminal.gitlab.com',
    });
    shell.socket.send('exit\n');
    expect(await shell.closed).toEqual({ code: 1000, reason: 'The shell ended' });
    const rows = await world.app.db.selectFrom('job_terminals').selectAll().where('job_id', '=', job.id).execute();
    expect(rows).toMatchObject([{ user_id: world.owner.user.id }]);
    await expect
      .poll(
        async () =>
          (await world.app.db.selectFrom('job_terminals').select('closed_at').where('job_id', '=', job.id).execute())[0]
            ?.closed_at,
      )
      .not.toBeNull();
    await runner.update(job, 'failed');
    const left = await world.app.db.selectFrom('job_sessions').selectAll().where('job_id', '=', job.id).execute();
    expect(left).toEqual([]);
  });

  it('speaks base64 to clients that ask for it, and our own subprotocol with sizes', async () => {
    const job = await running();
    const plain = await connect((await open(job)).body, ['base64.terminal.gitlab.com']);
    plain.socket.send(Buffer.from('ä').toString('base64'));
    await expect.poll(() => plain.said().length).toBeGreaterThan(4);
    expect(Buffer.from(plain.said().slice(4), 'base64').toString()).toBe('you said ä');
    const own = await connect((await open(job)).body, ['terminal.millrace', 'terminal.gitlab.com']);
    expect(own.socket.protocol).toBe('terminal.millrace');
    own.socket.send(JSON.stringify({ columns: 80, rows: 20 }));
    own.socket.send(Buffer.from('x'));
    // The runner's subprotocol has no sizes: it does not hear of them.
    await expect.poll(own.said).toBe('$ you said x');
    own.socket.send('no size');
    expect((await own.closed).code).toBe(1007);
    plain.socket.close();
    await runner.update(job, 'failed');
  });

  it('security: opens once, in time, for its job, and never without a ticket', async () => {
    const job = await running();
    const other = await running();
    const first = (await open(job)).body;
    const shell = await connect(first);
    await expect.poll(shell.said).toBe('$ ');
    expect((await (await connect(first)).closed).code).toBe(1008);
    const second = (await open(job)).body;
    const elsewhere = { ...second, url: second.url.replace(`/jobs/${job.id}/`, `/jobs/${other.id}/`) };
    expect((await (await connect(elsewhere)).closed).code).toBe(1008);
    const third = (await open(job)).body;
    await world.app.db
      .updateTable('job_terminals')
      .set({ expires_at: new Date(0) })
      .where('id', '=', third.id)
      .execute();
    expect((await (await connect(third)).closed).code).toBe(1008);
    const url = `${world.app.url.replace(/^http/, 'ws')}${new URL(first.url).pathname}`;
    const bare = new WebSocket(url, ['terminal.gitlab.com'], { headers: { 'PRIVATE-TOKEN': world.owner.token } });
    await expect(once(bare, 'open')).rejects.toThrow('401');
    shell.socket.close();
    for (const one of [job, other]) await runner.update(one, 'failed');
  });

  it('security: is for whoever started the job, while they may change it and the project allows it', async () => {
    const job = await running();
    expect(await open(job, maintainer.token)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('started the job') },
    });
    // main is protected: the developer may not push there, so that their own job there has no terminal either.
    await world.app.db.updateTable('jobs').set({ user_id: developer.user.id }).where('id', '=', job.id).execute();
    expect((await open(job, developer.token)).status).toBe(403);
    await world.app.db.updateTable('jobs').set({ user_id: world.owner.user.id }).where('id', '=', job.id).execute();
    expect((await open(job, (await world.account()).token)).status).toBe(404);
    const set = (ci_job_terminals_enabled: boolean) =>
      world.app.api('PUT', `/projects/${project.id}`, { token: world.owner.token, json: { ci_job_terminals_enabled } });
    const ticket = (await open(job)).body;
    await set(false);
    expect((await open(job)).body.message).toContain('disabled in this project');
    expect((await (await connect(ticket)).closed).code).toBe(1008);
    await set(true);
    await runner.update(job, 'failed');
    expect((await open(job)).body.message).toContain('not running');
  });

  it('does not exist where the runner offers none, or an address that is not allowed', async () => {
    const without = await running({});
    expect((await open(without)).body.message).toContain('does not support interactive terminals');
    await runner.update(without, 'failed');
    const wrong = await running({ session: { ...session(), url: 'http://127.0.0.1/session/1' } });
    expect((await open(wrong)).status).toBe(403);
    await runner.update(wrong, 'failed');
    const untrusted = await running({ session: { ...session(), certificate: '' } });
    expect(await (await connect((await open(untrusted)).body)).closed).toMatchObject({
      code: 1011,
      reason: expect.stringContaining('TLS failed'),
    });
    const settings = (allow: boolean) =>
      world.app.api('PUT', '/application/settings', {
        token: world.admin.token,
        json: { allow_local_requests_from_system_hooks: allow },
      });
    await settings(false);
    expect((await (await connect((await open(untrusted)).body)).closed).reason).toContain('local network');
    await settings(true);
    await runner.update(untrusted, 'failed');
  });

  it('ends with the time that the instance allows; a job has five at most', async () => {
    const job = await running();
    const settings = (terminal_max_session_time: number) =>
      world.app.api('PUT', '/application/settings', { token: world.admin.token, json: { terminal_max_session_time } });
    await settings(1);
    const opened = await open(job);
    expect(opened.body.max_session_time).toBe(1);
    expect(await (await connect(opened.body)).closed).toEqual({
      code: 1008,
      reason: 'The terminal was open for 1 seconds',
    });
    await settings(0);
    const tickets: number[] = [];
    for (let i = 0; i < 6; i++) tickets.push((await open(job)).status);
    expect(tickets).toEqual([201, 201, 201, 201, 201, 429]);
    await runner.update(job, 'failed');
  });

  it('says why it ended: in the words of the runner, or by the job where there are none', async () => {
    const job = await running();
    const end = async (text: string) => {
      const shell = await connect((await open(job)).body);
      await expect.poll(shell.said).toBe('$ ');
      shell.socket.send(text);
      return await shell.closed;
    };
    expect(await end('cancel\n')).toEqual({ code: 1001, reason: 'The job was canceled' });
    expect(await end('fail\n')).toEqual({ code: 1011, reason: 'spawn script ENOENT' });
    expect(await end('lose\n')).toEqual({ code: 1000, reason: 'The runner closed the terminal' });
    const shell = await connect((await open(job)).body);
    await expect.poll(shell.said).toBe('$ ');
    const { status } = await world.app.api('POST', `/projects/${project.id}/jobs/${job.id}/cancel`, {
      token: world.owner.token,
    });
    expect(status).toBe(201);
    shell.socket.send('lose\n');
    expect(await shell.closed).toEqual({ code: 1001, reason: 'The job was canceled' });
    await runner.update(job, 'failed');
  });

  it('leaves an audit event', async () => {
    const events = await world.app.db
      .selectFrom('audit_events')
      .selectAll()
      .where('event', '=', 'job_terminal_opened')
      .where('entity_id', '=', project.id)
      .execute();
    expect(events.length).toBeGreaterThan(5);
    expect(events[0]).toMatchObject({
      author_id: world.owner.user.id,
      target_details: expect.stringMatching(/^test /),
    });
    expect(JSON.stringify(events)).not.toContain(secret);
  });
});

it('takes no address of this machine from others than the built-in runner', () => {
  const own = { url: 'ws+unix:/run/x.sock:/session/1', authorization: 'x' };
  expect(sessionOffer(own, false)).toBeNull();
  expect(sessionOffer(own, true)).toMatchObject({ url: own.url });
  expect(sessionOffer({ url: 'https://example.com/session/1' }, true)).toBeNull();
  for (const bad of [null, 'x', {}, { url: 'file:///etc' }, { url: 'https://x', authorization: 'a\r\nb: c' }])
    expect(sessionOffer(bad, false)).toBeNull();
});
