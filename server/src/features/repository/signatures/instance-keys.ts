/** The key that commits of the product itself are signed with, and those that it was before. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { CommitStamp } from '@millrace/git';
import { type Config, ConfigError } from '../../../kernel/config/config.ts';
import { sshSignature } from './sshsig.ts';
import { blobOf, publicKeyOf } from './wire.ts';

export interface InstanceKeys {
  /** What commits get; null where none are signed. */
  readonly stamp: CommitStamp | null;
  /** In the format of `authorized_keys`; null without one. */
  readonly publicKey: string | null;
  /** Whether a key, as the wire has it, is or was the instance's. */
  isOwn(keyBlob: Buffer): boolean;
}

type SigningConfig = Pick<Config, 'commitSigningKey' | 'commitSigningOldKeys' | 'committerName' | 'committerEmail'>;

const shortestRsaBits = 2048;

async function privateKeyOf(text: string): Promise<KeyObject> {
  let pem = text;
  if (text.includes('BEGIN OPENSSH PRIVATE KEY')) {
    const { default: ssh2 } = await import('ssh2');
    const parsed = ssh2.utils.parseKey(text);
    if (parsed instanceof Error) throw new Error(parsed.message);
    pem = (Array.isArray(parsed) ? parsed[0] : parsed).getPrivatePEM();
  }
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType === 'ed25519') return key;
  if (key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= shortestRsaBits) return key;
  throw new Error(`only Ed25519 keys and RSA keys of ${shortestRsaBits} bits and more sign commits`);
}

async function textAt(name: string, file: string): Promise<string> {
  return await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`${name}: ${file} cannot be read (${error.code ?? error.message})`);
  });
}

/** Public keys, one a line; comments and empty lines between them. */
async function formerKeys(file: string): Promise<Buffer[]> {
  const name = 'MILLRACE_COMMIT_SIGNING_OLD_KEYS';
  const lines = (await textAt(name, file)).split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const blob = Buffer.from(line.split(/\s+/)[1] ?? '', 'base64');
      if (publicKeyOf(blob)?.type !== line.split(/\s+/)[0])
        throw new ConfigError(`${name}: ${file} holds a line that is no public SSH key`);
      return blob;
    });
}

/** Reads the files that the configuration names; throws with what is wrong with them. */
export async function loadInstanceKeys(config: SigningConfig, externalUrl: string): Promise<InstanceKeys> {
  const { commitSigningKey: file, commitSigningOldKeys: former } = config;
  const known = new Set((former === null ? [] : await formerKeys(former)).map((blob) => blob.toString('base64')));
  const isOwn = (keyBlob: Buffer) => known.has(keyBlob.toString('base64'));
  if (file === null) return { stamp: null, publicKey: null, isOwn };
  const text = await textAt('MILLRACE_COMMIT_SIGNING_KEY', file);
  const privateKey = await privateKeyOf(text).catch((error: Error) => {
    throw new ConfigError(
      `MILLRACE_COMMIT_SIGNING_KEY: ${file} is no usable private key without a passphrase: ${error.message}`,
    );
  });
  const publicKey = createPublicKey(privateKey);
  const blob = blobOf(publicKey);
  known.add(blob.toString('base64'));
  const type = privateKey.asymmetricKeyType === 'rsa' ? 'ssh-rsa' : 'ssh-ed25519';
  return {
    stamp: {
      name: config.committerName ?? 'Millrace',
      email: config.committerEmail ?? `noreply@${new URL(externalUrl).hostname}`,
      sign: (bytes) => sshSignature(privateKey, publicKey, bytes),
    },
    publicKey: `${type} ${blob.toString('base64')}`,
    isOwn,
  };
}
