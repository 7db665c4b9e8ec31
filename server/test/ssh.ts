/** Keys and the SSH server of the application under test, for the tests of git over SSH. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import ssh2, { type ClientChannel, type ConnectConfig } from 'ssh2';
import type { User } from '../src/kernel/db/rows.ts';
import { newKeyPair } from '../src/kernel/ssh-keys.ts';
import type { TestApp } from './app.ts';
import { unique } from './factories.ts';
import type { GitClient } from './git.ts';

export interface SshKeyPair {
  /** In OpenSSH's format, as a client holds it. */
  readonly private: string;
  /** `ssh-ed25519 AAAA...` */
  readonly public: string;
}

export function keyPair(type: 'ed25519' | 'ecdsa' | 'rsa' = 'ed25519', bits?: number): SshKeyPair {
  const made = newKeyPair(ssh2.utils, type, bits === undefined ? {} : { bits });
  return { private: made.private, public: made.public.trim().split(' ').slice(0, 2).join(' ') };
}

/** Gives a person a key; answers it with its id. */
export async function addKey(
  app: TestApp,
  secret: string,
  more: { readonly pair?: SshKeyPair; readonly usage_type?: string; readonly expires_at?: string } = {},
): Promise<SshKeyPair & { readonly id: number }> {
  const { pair = keyPair(), ...json } = more;
  const made = await app.api<{ id: number }>('POST', '/user/keys', {
    token: secret,
    json: { title: 'key', key: pair.public, ...json },
  });
  if (made.status !== 201) throw new Error(`the key was refused: ${JSON.stringify(made.body)}`);
  return { ...pair, id: made.body.id };
}

export interface SshResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SshConnection {
  /** Runs a command to its end; null asks for a shell. */
  run(command: string | null, input?: string, env?: Readonly<Record<string, string>>): Promise<SshResult>;
  open(command: string): Promise<ClientChannel>;
  readonly client: ssh2.Client;
  end(): void;
}

/** Where OpenSSH's client is; undefined where the machine has none. */
const openSsh = (process.env.PATH ?? '')
  .split(path.delimiter)
  .map((directory) => path.join(directory, 'ssh'))
  .find((file) => existsSync(file));

/**
 * What git runs as `ssh`, with a key that is written into the client's directory: OpenSSH where there is one, else a
 * program of ours that tests do not have to install.
 */
export async function sshCommand(
  client: GitClient,
  key: SshKeyPair,
  program: string | undefined = openSsh,
): Promise<Record<string, string>> {
  const file = path.join(client.directory, unique('id'));
  await writeFile(file, key.private, { mode: 0o600 });
  const own = `'${process.execPath}' '${path.join(import.meta.dirname, 'programs/ssh.ts')}' '${file}'`;
  const options = ['BatchMode=yes', 'IdentitiesOnly=yes', 'StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null'];
  const quiet = ['LogLevel=ERROR', 'IdentityAgent=none', `IdentityFile=${file}`];
  const real = `'${program}' -F none ${[...options, ...quiet].map((option) => `-o ${option}`).join(' ')}`;
  return { GIT_SSH_COMMAND: program ? real : own, GIT_SSH_VARIANT: 'ssh' };
}

/** A second factor for a person, and codes that prove it. */
export async function giveSecondFactor(app: TestApp, user: User): Promise<readonly string[]> {
  const sealed = app.kernels.secrets.seal('JBSWY3DPEHPK3PXP', `totp:${user.id}`);
  await app.db
    .insertInto('totp_secrets')
    .values({ user_id: user.id, secret_sealed: sealed, confirmed_at: new Date() })
    .execute();
  const codes = await app.identity.twoFactor.newRecoveryCodes(user, { author: null, address: null });
  if (!codes) throw new Error('no second factor was made');
  return codes;
}

/** Signs in with ssh2's client; rejects when the server does not let it in. */
export async function connect(port: number, key: SshKeyPair, more: ConnectConfig = {}): Promise<SshConnection> {
  const client = new ssh2.Client();
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve);
    client.once('error', reject);
    client.once('close', () => reject(new Error('closed before it was ready')));
    client.connect({ host: '127.0.0.1', port, username: 'git', privateKey: key.private, ...more });
  });
  client.on('error', () => {});
  const collected = (channel: ClientChannel, input: string | undefined): Promise<SshResult> =>
    new Promise((resolve) => {
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      let code: number | null = null;
      channel.on('data', (chunk: Buffer) => out.push(chunk));
      channel.stderr.on('data', (chunk: Buffer) => err.push(chunk));
      channel.on('exit', (status: number | null) => {
        code = status;
      });
      channel.once('close', () =>
        resolve({ code, stdout: String(Buffer.concat(out)), stderr: String(Buffer.concat(err)) }),
      );
      channel.end(input ?? '');
    });
  const open = (command: string, env: Readonly<Record<string, string>> = {}): Promise<ClientChannel> =>
    new Promise((resolve, reject) => {
      client.exec(command, { env: { ...env } }, (error, channel) => (error ? reject(error) : resolve(channel)));
    });
  return {
    client,
    open,
    run: async (command, input, env) => {
      if (command !== null) return collected(await open(command, env), input);
      return new Promise((resolve, reject) => {
        client.shell(false, (error, channel) => (error ? reject(error) : resolve(collected(channel, input))));
      });
    },
    end: () => client.end(),
  };
}
