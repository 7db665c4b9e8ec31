/** Credentials that git-lfs gets over SSH and presents over HTTP: signed, for one project and one direction, short-lived. */
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';

export interface LfsGrant {
  readonly keyId: number;
  readonly projectId: number;
  readonly operation: 'download' | 'upload';
  /** For how long it is still good. */
  readonly secondsLeft: number;
}

export interface LfsCredentials {
  /** The header to send, and for how many seconds it is good. */
  issue(
    caller: Caller,
    projectId: number,
    operation: LfsGrant['operation'],
  ): { readonly header: { readonly Authorization: string }; readonly expires_in: number };
  /** What a password stands for; null when it is none of these, or too old. The key is asked again who it is. */
  open(password: string): LfsGrant | null;
}

const purpose = 'lfs over ssh';
const prefix = 'lfs-';
const lifetimeSeconds = 1800;

export function createLfsCredentials(secrets: Pick<Secrets, 'sign' | 'verify'>): LfsCredentials {
  return {
    issue: ({ user, credential }, projectId, operation) => {
      if (credential.kind !== 'ssh_key' && credential.kind !== 'deploy_key')
        throw new Error('only an SSH key asks for this');
      const until = Math.floor(Date.now() / 1000) + lifetimeSeconds;
      const text = `${credential.keyId}.${projectId}.${operation}.${until}`;
      const name = credential.kind === 'deploy_key' ? `lfs+deploy-key-${credential.keyId}` : (user?.username ?? '');
      const password = `${prefix}${text}.${secrets.sign(text, purpose)}`;
      const basic = Buffer.from(`${name}:${password}`).toString('base64');
      return { header: { Authorization: `Basic ${basic}` }, expires_in: lifetimeSeconds };
    },
    open: (password) => {
      const match = /^lfs-((\d+)\.(\d+)\.(download|upload)\.(\d+))\.([A-Za-z0-9_-]+)$/.exec(password);
      const [, text = '', keyId, projectId, operation, until, signature = ''] = match ?? [];
      if (!match || !secrets.verify(text, signature, purpose)) return null;
      if (Number(until) * 1000 <= Date.now()) return null;
      return {
        keyId: Number(keyId),
        projectId: Number(projectId),
        operation: operation === 'upload' ? 'upload' : 'download',
        secondsLeft: Math.ceil(Number(until) - Date.now() / 1000),
      };
    },
  };
}
