/** Who signed a commit or tag: this instance, the committer, somebody else, or nobody that is known. */
import { createHash } from 'node:crypto';
import * as git from '@millrace/git';
import type { Static } from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { sshKey } from '../../identity/index.ts';
import type { RepositoryRow } from '../face.ts';
import { knownSha, type OpenRepository, translated } from '../reading/git-reader.ts';
import type { InstanceKeys } from './instance-keys.ts';
import { isSignedByGpg, ownerOf, signersOf } from './pgp.ts';
import type { CommitSignature, VerificationStatus } from './signatures.entity.ts';
import { addressesWithProof, gpgKeyWith, type KeyOwner, signingKey } from './signatures.queries.ts';
import { isSignedBy, parseSshSignature } from './sshsig.ts';

export interface SignatureDependencies {
  readonly db: Db;
  readonly open: OpenRepository;
  readonly externalUrl: string;
  readonly keys: Pick<InstanceKeys, 'isOwn'>;
  /** What an account's commits carry instead of an address. */
  readonly privateAddress: (user: Pick<User, 'id' | 'username'>) => Promise<string>;
}

export interface Signatures {
  /** Null for what is not signed, or is no commit. */
  ofCommit(project: RepositoryRow, sha: string): Promise<Static<typeof CommitSignature> | null>;
  ofTag(project: RepositoryRow, sha: string): Promise<Static<typeof CommitSignature> | null>;
}

/** What a signature was made with, by its first line. */
function typeOf(armoured: string): 'PGP' | 'SSH' | 'X509' {
  if (armoured.startsWith('-----BEGIN SSH SIGNATURE-----')) return 'SSH';
  return armoured.startsWith('-----BEGIN SIGNED MESSAGE-----') ? 'X509' : 'PGP';
}

const fingerprintOf = (blob: Buffer): string => createHash('sha256').update(blob).digest('base64').replace(/=+$/, '');

export function signatures(deps: SignatureDependencies): Signatures {
  const { db, open } = deps;

  /** What an address says of the owner of a key: `true` and `false` for confirmed and not, undefined for no address of theirs. */
  async function ownAddress({ user_id, username }: KeyOwner, email: string): Promise<boolean | undefined> {
    const wanted = email.toLowerCase();
    if (wanted === (await deps.privateAddress({ id: user_id, username })).toLowerCase()) return true;
    return (await addressesWithProof(db, user_id)).get(wanted);
  }

  async function bySsh({ signature, payload, email }: git.Signed) {
    const found = parseSshSignature(signature);
    const key = found && (await signingKey(db, fingerprintOf(found.keyBlob)));
    const status = async (): Promise<VerificationStatus> => {
      if (!found || email === '' || !isSignedBy(found, payload)) return 'unverified';
      if (deps.keys.isOwn(found.keyBlob)) return 'verified_system';
      if (!key) return 'unknown_key';
      const confirmed = await ownAddress(key.owner, email);
      return confirmed === undefined ? 'other_user' : confirmed ? 'verified' : 'unverified';
    };
    return { verification_status: await status(), key: key && sshKey(key, key.owner, deps.externalUrl) };
  }

  async function byGpg({ signature, payload, email }: git.Signed) {
    const signers = await signersOf(signature);
    const found = signers?.[0] === undefined ? null : await gpgKeyWith(db, signers[0]);
    const status = async (): Promise<VerificationStatus> => {
      if (signers === null || signers.length === 0) return 'unverified';
      if (signers.length > 1) return 'multiple_signatures';
      if (!found) return 'unknown_key';
      const { key, owner } = found;
      const addresses = await addressesWithProof(db, owner.user_id);
      const proved = key.emails.filter((each) => addresses.get(each.toLowerCase()));
      if (proved.length === 0) return 'unverified_key';
      if (!(await isSignedByGpg(key, signature, payload))) return 'unverified';
      const wanted = email.toLowerCase();
      if (proved.includes(wanted)) return 'verified';
      return (await ownAddress(owner, email)) === undefined ? 'other_user' : 'same_user_different_email';
    };
    const named = found ? await ownerOf(found.key) : { name: null, email: null };
    return {
      verification_status: await status(),
      gpg_key_id: found?.key.id ?? null,
      gpg_key_primary_keyid: found?.key.primary_keyid ?? signers?.[0] ?? null,
      gpg_key_user_name: named.name,
      gpg_key_user_email: named.email,
      gpg_key_subkey_id: null,
    };
  }

  async function judged(signed: git.Signed | null): Promise<Static<typeof CommitSignature> | null> {
    if (!signed) return null;
    const signature_type = typeOf(signed.signature);
    const found =
      signature_type === 'SSH'
        ? await bySsh(signed)
        : signature_type === 'PGP'
          ? await byGpg(signed)
          : { verification_status: 'unverified' as const };
    return { signature_type, ...found, commit_source: 'gitaly' };
  }

  return {
    ofCommit: async (project, sha) => await judged(await translated(git.signedCommit(open(project), knownSha(sha)))),
    ofTag: async (project, sha) => await judged(await translated(git.signedTag(open(project), knownSha(sha)))),
  };
}
