/** What people enter for a mirror: its address, what proves us there, keys of its server, and which branches it has. */
import type { PushMirror } from '../../../kernel/db/rows.ts';
import { invalidRecord } from '../../../kernel/http/errors.ts';
import type { Outbound } from '../../../kernel/outbound/index.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import { linearPattern } from '../../repository/index.ts';
import { maskedAddress, mirrorRemote } from './remote-http.ts';
import { sshRemote } from './remote-ssh.ts';
import { mirrorKeyPair, readHostKey } from './ssh-keys.ts';

const notValid = 'is not a valid HTTP or SSH address; addresses of SSH have no password';

export type AuthMethod = PushMirror['auth_method'];

/** For what the secrets of a kind of mirrors are sealed. */
export interface MirrorPurposes {
  readonly address: string;
  readonly key: string;
}

/** The sealed address and what is shown of it; over SSH with a new key. Throws 400 for what is none, about `field`. */
export async function sealedAddress(
  { outbound, secrets }: { readonly outbound: Pick<Outbound, 'refusal'>; readonly secrets: Pick<Secrets, 'seal'> },
  purposes: MirrorPurposes,
  entered: string,
  method: AuthMethod | undefined,
  field = 'url',
) {
  const address = entered.trim();
  const ssh = sshRemote(address);
  const url = ssh?.url ?? mirrorRemote(address)?.url;
  const refusal = url === undefined ? notValid : await outbound.refusal(url, 'mirror');
  if (refusal !== null) throw invalidRecord({ [field]: [refusal] });
  const auth_method: AuthMethod = ssh ? 'ssh_public_key' : 'password';
  if (method !== undefined && method !== auth_method)
    throw invalidRecord({ auth_method: [`must be ${auth_method} for this URL`] });
  const proof = ssh ? await mirrorKeyPair() : null;
  return {
    url: maskedAddress(address),
    address_sealed: secrets.seal(address, purposes.address),
    auth_method,
    ssh_public_key: proof?.public ?? null,
    ssh_private_key_sealed: proof && secrets.seal(proof.private, purposes.key),
  };
}

/** Keys of the server as they are stored. Throws 400 for what is none. */
export function hostKeysOf(given: readonly string[] | undefined, method: AuthMethod) {
  if (given === undefined) return {};
  if (given.length > 0 && method !== 'ssh_public_key') throw invalidRecord({ host_keys: ['are for SSH URLs'] });
  const read = given.map(readHostKey);
  const keys = read.filter((key) => key !== null);
  if (keys.length < read.length) throw invalidRecord({ host_keys: ['must be public SSH keys, one each'] });
  return { host_keys: [...new Set(keys)] };
}

/** The rule that is given switches the other off; one alone can be. `protectedName` is what the other is called. */
export function branchesOf(
  values: { readonly protectedOnly: boolean | undefined; readonly pattern: string | null | undefined },
  protectedName: string,
) {
  const pattern = values.pattern || null;
  if (pattern !== null && values.protectedOnly)
    throw invalidRecord({ mirror_branch_regex: [`cannot be used with ${protectedName}`] });
  if (pattern !== null && linearPattern(pattern) === null)
    throw invalidRecord({ mirror_branch_regex: ['is not a valid regular expression (RE2)'] });
  if (pattern !== null) return { mirror_branch_regex: pattern, only_protected_branches: false };
  return {
    ...(values.pattern === undefined && !values.protectedOnly ? {} : { mirror_branch_regex: null }),
    ...(values.protectedOnly === undefined ? {} : { only_protected_branches: values.protectedOnly }),
  };
}
