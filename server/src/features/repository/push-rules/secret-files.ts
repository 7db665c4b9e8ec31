/** Names of files that hold keys and passwords, as `prevent_secrets` knows them: what the ecosystem documents. */
import { RE2JS } from 're2js';

const sources: readonly string[] = [
  // Credentials of command lines of clouds.
  'aws/credentials$',
  // Private keys of SSH, by purpose and by kind.
  '(ssh|config)/(personal|server)_(rsa|dsa|(ed\\d+|ecdsa)(_sk)?)$',
  'id_(rsa|dsa|(ed25519|ecdsa)(_sk)?)$',
  '_(rsa|dsa|(ed\\d+|ecdsa)(_sk)?)$',
  // Other private keys.
  'privatekey\\.pem$',
  '\\.(pem|key)$',
  // What was typed into shells and database clients.
  '[._]history$',
];
const patterns = sources.map((source) => ({ source, pattern: RE2JS.compile(source) }));

/** The pattern that a path fits; null when it looks harmless. */
export const secretFile = (path: string): string | null =>
  patterns.find(({ pattern }) => pattern.matcher(path).find())?.source ?? null;
