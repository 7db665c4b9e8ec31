/** Security keys and passkeys as a second factor (WebAuthn). The library is loaded with its first use: few requests need it. */
import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { SecurityKey } from './two-factor.queries.ts';

const library = () => import('@simplewebauthn/server');
type Transports = PublicKeyCredentialRequestOptionsJSON['allowCredentials'] extends (infer C)[] | undefined
  ? C extends { transports?: infer T }
    ? T
    : never
  : never;

/** The site that keys are bound to: they answer no other. */
export interface Site {
  readonly origin: string;
  readonly host: string;
  readonly name: string;
}

/** Browsers bind keys to names only. */
export const sitesHaveKeys = (externalUrl: string): boolean => {
  const { hostname } = new URL(externalUrl);
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
};

export const siteOf = (externalUrl: string, name: string): Site => {
  const { origin, hostname } = new URL(externalUrl);
  return { origin, host: hostname, name };
};

const described = (keys: readonly SecurityKey[]) =>
  keys.map((key) => ({ id: key.credential_id, transports: key.transports as Transports & string[] }));

/** What the browser needs to make a key for a person. */
export async function registrationOptions(
  site: Site,
  user: { readonly id: number; readonly username: string; readonly name: string },
  keys: readonly SecurityKey[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library();
  return await generateRegistrationOptions({
    rpName: site.name,
    rpID: site.host,
    userName: user.username,
    userDisplayName: user.name,
    userID: new TextEncoder().encode(`user-${user.id}`),
    attestationType: 'none',
    excludeCredentials: described(keys),
    authenticatorSelection: { userVerification: 'preferred', residentKey: 'discouraged' },
  });
}

export interface RegisteredKey {
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
}

/** The key of a browser's answer, or null when the answer does not prove it. */
export async function registeredKey(site: Site, challenge: string, answer: unknown): Promise<RegisteredKey | null> {
  const { verifyRegistrationResponse } = await library();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: answer as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      requireUserVerification: false,
    });
    if (!verified) return null;
    const { credential } = registrationInfo;
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: credential.transports ?? [],
    };
  } catch {
    // The library says what is wrong with hostile input by throwing; for the caller all of it is one refusal.
    return null;
  }
}

/** What the browser needs to ask a person's keys for a signature. */
export async function requestOptions(
  site: Site,
  keys: readonly SecurityKey[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library();
  return await generateAuthenticationOptions({
    rpID: site.host,
    allowCredentials: described(keys),
    userVerification: 'preferred',
  });
}

/** The key that signed the challenge and its new counter, or null. */
export async function provenKey(
  site: Site,
  challenge: string,
  keys: readonly SecurityKey[],
  answer: unknown,
): Promise<{ key: SecurityKey; counter: number } | null> {
  const id = typeof answer === 'object' && answer !== null ? (answer as { id?: unknown }).id : undefined;
  const key = keys.find(({ credential_id }) => credential_id === id);
  if (!key) return null;
  const { verifyAuthenticationResponse } = await library();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      credential: {
        id: key.credential_id,
        publicKey: new Uint8Array(key.public_key),
        // The counter is compared when it is stored, in one statement.
        counter: 0,
        transports: key.transports as Transports & string[],
      },
      requireUserVerification: false,
    });
    return verified ? { key, counter: authenticationInfo.newCounter } : null;
  } catch {
    return null;
  }
}
