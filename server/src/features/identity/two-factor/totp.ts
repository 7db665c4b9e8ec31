/** Time-based one-time passwords (RFC 6238): six digits, thirty seconds, one step of tolerance each way. */
import { Secret, TOTP } from 'otpauth';

const period = 30;

const generator = (secret: Secret, issuer = '', label = '') =>
  new TOTP({ secret, issuer, label, algorithm: 'SHA1', digits: 6, period });

/** A new secret of 160 bits, in base 32. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32;

/** The address that an authenticator application reads, usually from a picture. */
export const totpUri = (secret: string, issuer: string, label: string): string =>
  generator(Secret.fromBase32(secret), issuer, label).toString();

/** The step of the clock whose code this is, or null. `now` in milliseconds. */
export function totpStep(secret: string, code: string, now = Date.now()): number | null {
  const delta = generator(Secret.fromBase32(secret)).validate({
    token: code.replaceAll(/\s/g, ''),
    timestamp: now,
    window: 1,
  });
  return delta === null ? null : Math.floor(now / 1000 / period) + delta;
}
