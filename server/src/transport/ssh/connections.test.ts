/** Connections of git over SSH: how many there may be, security keys, clients that hang, leave or lie, and the end. Slow, sampled: waits until the limits end them. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect as connectSocket, type Socket } from 'node:net';
import { deflateSync } from 'node:zlib';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../test/repositories.ts';
import { addKey, connect, keyPair, type SshKeyPair } from '../../../test/ssh.ts';
import { createConnectionLimits } from './limits.ts';
import { isAccepted, isSigned } from './verify.ts';

let app: TestApp;
let port: number;
let project: RepositoryProject;
let key: SshKeyPair;
beforeAll(async () => {
  const environment = {
    MILLRACE_SSH_LOGINS: '8',
    // Long enough for a client and a git that start on a busy machine.
    MILLRACE_SSH_LOGIN_SECONDS: '4',
    MILLRACE_SSH_LOGIN_TRIES: '3',
    MILLRACE_SSH_STALL_SECONDS: '4',
    MILLRACE_SSH_ADDRESS_RATE: '0',
  };
  app = await startTestApp({ environment });
  port = await app.ssh.listen({ host: '127.0.0.1', port: 0 });
  project = await buildRepositoryProject(app);
  key = await addKey(app, project.owner.secret);
});
afterAll(() => app.close());

const pack = () => `git-upload-pack '${project.fullPath}.git'`;
/** Until a socket is closed; what it said. */
async function said(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  if (!socket.closed) await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}

describe('limits', () => {
  it('of connections, of those at the door, of one address in a minute', () => {
    let now = 0;
    const limits = createConnectionLimits({ connections: 3, logins: 8, addressRate: 4 }, () => now);
    const first = limits.admit('10.0.0.1');
    const second = limits.admit('::ffff:10.0.0.1');
    expect(limits.admit('10.0.0.1')).toBe('ssh_logins is 8, 2 from one address');
    if (typeof first === 'string' || typeof second === 'string') throw new Error('not admitted');
    first.entered();
    expect(typeof limits.admit('10.0.0.1')).toBe('object');
    expect(limits.admit('10.0.0.2')).toBe('ssh_connections is 3');
    expect(limits.admit('10.0.0.1')).toBe('ssh_address_rate is 4 connections a minute');
    first.left();
    first.left();
    expect(limits.count()).toBe(2);
    now = 61_000;
    second.left();
    expect(typeof limits.admit('10.0.0.1')).toBe('object');
  });

  it('who does not sign in is cut off, and only so many wait at the door', async () => {
    const silent = [0, 1].map(() => connectSocket(port, '127.0.0.1'));
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    const [turnedAway, ...ended] = await Promise.all([said(connectSocket(port, '127.0.0.1')), ...silent.map(said)]);
    expect(turnedAway).toContain('ssh_logins is 8, 2 from one address');
    expect(ended).toEqual([expect.stringContaining('SSH-2.0-'), expect.stringContaining('SSH-2.0-')]);
  });

  it('a connection may try so many keys', async () => {
    const client = new ssh2.Client();
    let tried = 0;
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    client.on('error', () => {});
    client.connect({
      host: '127.0.0.1',
      port,
      username: 'git',
      authHandler: (_left, _partial, next) => {
        tried += 1;
        const offer = ssh2.utils.parseKey(keyPair().private);
        if (offer instanceof Error) throw offer;
        next((tried > 20 ? false : { type: 'publickey', username: 'git', key: offer }) as never);
      },
    });
    await closed;
    expect(tried).toBe(3);
  });
});

describe('clients that hang or lie', () => {
  it('a command without a byte in either direction ends; the idle connection itself stays', async () => {
    const connection = await connect(port, key);
    const channel = await connection.open(pack());
    let told = '';
    channel.stderr.on('data', (chunk: Buffer) => {
      told += chunk.toString();
    });
    channel.resume();
    await once(connection.client, 'close');
    expect(told).toContain('ssh_stall_seconds');
    await expect.poll(() => app.ssh.connections()).toBe(0);
  });

  it('a pack that stops in its middle is cut off, its git ends, and nothing of it is left', async () => {
    const left = async () =>
      (await readdir(project.directory, { recursive: true })).filter((name) => /incoming-|tmp_|\.lock$/.test(name));
    const connection = await connect(port, key);
    const push = await connection.open(`git-receive-pack '${project.fullPath}.git'`);
    const line = `${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/half\0report-status side-band-64k`;
    push.write(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`);
    // The header of 500 objects, and the beginning of the first: a commit of 4,000 bytes.
    push.write(
      Buffer.concat([
        Buffer.from('PACK\0\0\0\x02\0\0\x01\xf4\x90\xfa\x01', 'latin1'),
        deflateSync(randomBytes(4000)).subarray(0, 2000),
      ]),
    );
    await expect.poll(left).toContainEqual(expect.stringContaining('tmp_pack'));
    let told = '';
    push.stderr.on('data', (chunk: Buffer) => {
      told += chunk.toString();
    });
    push.resume();
    await once(connection.client, 'close');
    expect(told).toContain('ssh_stall_seconds');
    await expect.poll(left).toEqual([]);
    await expect.poll(() => app.ssh.connections()).toBe(0);
    await project.commit('main', { 'a.txt': 'writes go on' });
  });

  it('git ends with the client that asked for it, and with a pack that never comes', async () => {
    const connection = await connect(port, key);
    const push = await connection.open(`git-receive-pack '${project.fullPath}.git'`);
    const line = `${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/x\0report-status side-band-64k`;
    push.write(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000PACK`);
    const fetch = await connection.open(pack());
    await once(fetch, 'data');
    connection.client.destroy();
    await expect.poll(() => app.ssh.connections()).toBe(0);
    await expect
      .poll(async () => (await app.api('GET', `/projects/${project.id}`, { token: project.owner.secret })).status)
      .toBe(200);
  });

  it('no bytes of what is no SSH bring anything down', async () => {
    for (const bytes of [
      'GET / HTTP/1.1\r\n\r\n',
      'SSH-1.5-x\r\n',
      'SSH-2.0-x\r\n\0\0\0\x01',
      `SSH-2.0-x\r\n${'\xff'.repeat(5000)}`,
    ]) {
      const socket = connectSocket(port, '127.0.0.1');
      socket.write(Buffer.from(bytes, 'latin1'));
      await said(socket);
    }
    const connection = await connect(port, key);
    expect((await connection.run('discover')).code).toBe(0);
    connection.end();
  });
});

describe('signatures', () => {
  const field = (data: Buffer | string) => {
    const bytes = Buffer.from(data);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();
  const application = 'ssh:';
  /** As a security key signs: the touch and its counter between two hashes. */
  const toSign = (blob: Buffer, tail: Buffer) => Buffer.concat([sha256(application), tail, sha256(blob)]);
  const point = (publicKey: KeyObject) => {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    return Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), ...(y ? [Buffer.from(y, 'base64url')] : [])]);
  };
  const blob = Buffer.from('what the client signs');

  it('of security keys of both kinds, touched, over exactly what was asked', async () => {
    const ed = generateKeyPairSync('ed25519');
    const edType = 'sk-ssh-ed25519@openssh.com';
    const edKey = {
      algo: edType,
      data: Buffer.concat([edType, point(ed.publicKey).subarray(1), application].map(field)),
    };
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const ecType = 'sk-ecdsa-sha2-nistp256@openssh.com';
    const ecKey = {
      algo: ecType,
      data: Buffer.concat([ecType, 'nistp256', point(ec.publicKey), application].map(field)),
    };
    const touched = Buffer.from([1, 0, 0, 0, 7]);
    const untouched = Buffer.from([0, 0, 0, 0, 7]);
    const edSigned = (tail: Buffer) => Buffer.concat([sign(null, toSign(blob, tail), ed.privateKey), tail]);
    const ecSigned = (tail: Buffer) => {
      const raw = sign('sha256', toSign(blob, tail), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' });
      const number = (part: Buffer) => field((part[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.alloc(1), part]) : part);
      return Buffer.concat([number(raw.subarray(0, 32)), number(raw.subarray(32)), tail]);
    };
    const checked = (offered: { key: { algo: string; data: Buffer } }, signature: Buffer, over = blob) =>
      isSigned({ ...offered, signature, blob: over } as Parameters<typeof isSigned>[0]);
    for (const [offered, signed] of [
      [edKey, edSigned],
      [ecKey, ecSigned],
    ] as const) {
      expect(await checked({ key: offered }, signed(touched))).toBe(true);
      expect(await checked({ key: offered }, signed(untouched))).toBe(false);
      expect(await checked({ key: offered }, signed(touched), Buffer.from('something else'))).toBe(false);
      expect(await checked({ key: offered }, Buffer.alloc(3))).toBe(false);
      expect(await checked({ key: { ...offered, data: Buffer.alloc(9) } }, signed(touched))).toBe(false);
    }
  });

  it('RSA needs SHA-2, and DSA is not taken', () => {
    const of = (algo: string, hashAlgo?: string) =>
      isAccepted({ key: { algo, data: Buffer.alloc(0) }, hashAlgo } as Parameters<typeof isAccepted>[0]);
    expect([of('ssh-rsa'), of('ssh-rsa', 'sha256'), of('ssh-rsa', 'sha512')]).toEqual([false, true, true]);
    expect([of('ssh-dss'), of('ssh-ed25519'), of('ssh-ed25519-cert-v01@openssh.com')]).toEqual([false, true, false]);
  });
});

it('stopping ends connections that do nothing at once', async () => {
  const connection = await connect(port, key);
  const closed = once(connection.client, 'close');
  const started = performance.now();
  await app.ssh.close();
  await closed;
  expect(performance.now() - started).toBeLessThan(2000);
  await expect(connect(port, key)).rejects.toThrow(/ECONNREFUSED/);
});
