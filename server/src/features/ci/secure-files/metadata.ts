/** What certificates and provisioning profiles say of themselves. Whatever cannot be read has nothing to say. Pure. */
import { X509Certificate } from 'node:crypto';
import { DOMParser } from '@xmldom/xmldom';
import { parse as parsePlist } from 'plist';
import { certificatesOfPkcs12, signedContent } from './pkcs.ts';

type Names = Readonly<Record<string, string>>;

export interface SecureFileMetadata {
  readonly id: string;
  readonly issuer?: Names;
  readonly subject?: Names;
  readonly expires_at: Date | null;
  readonly [more: string]: unknown;
}

/** Longest property list that is read; profiles with hundreds of devices have some 100 kB. */
const maxPlistBytes = 1024 * 1024;

/** The parts of a name; one that is there several times is joined. */
const namesOf = (name: object): Names =>
  Object.fromEntries(
    Object.entries(name as Readonly<Record<string, string | readonly string[]>>).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : value.join(', '),
    ]),
  );

const dateOf = (text: string): Date | null => {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : date;
};

function ofCertificate(certificate: X509Certificate): SecureFileMetadata {
  const { issuer, subject } = certificate.toLegacyObject();
  return {
    // The serial number in decimal digits, as other implementations write it.
    id: BigInt(`0x${certificate.serialNumber}`).toString(),
    issuer: namesOf(issuer),
    subject: namesOf(subject),
    expires_at: dateOf(certificate.validTo),
  };
}

/** The certificate of the key, not those of its issuers. */
function ofFirst(ders: readonly Buffer[]): SecureFileMetadata | null {
  const certificates = ders.map((der) => new X509Certificate(der));
  const own = certificates.find(({ ca }) => !ca) ?? certificates[0];
  return own ? ofCertificate(own) : null;
}

/** Throws at the first fault. The property list's own parser would write each of a hostile file's to the log. */
const strict = new DOMParser({
  onError: (_level, message) => {
    throw new Error(message);
  },
});

function ofProfile(content: Buffer): SecureFileMetadata | null {
  const { data, certificates: signers } = signedContent(content);
  if (data.length > maxPlistBytes) return null;
  const text = data.toString('utf8');
  strict.parseFromString(text, 'text/xml');
  const list = parsePlist(text);
  if (list === null || typeof list !== 'object' || Array.isArray(list) || !('UUID' in list)) return null;
  const properties = list as Readonly<Record<string, unknown>>;
  const { ExpirationDate: expires, DeveloperCertificates: developers } = properties;
  const certificates = Array.isArray(developers) ? developers : [];
  const signing = ofFirst(signers);
  return {
    id: String(properties.UUID),
    expires_at: expires instanceof Date && !Number.isNaN(expires.getTime()) ? expires : null,
    ...(signing ? { issuer: signing.issuer, subject: signing.subject } : {}),
    platforms: properties.Platform ?? null,
    team_name: properties.TeamName ?? null,
    team_id: properties.TeamIdentifier ?? null,
    app_name: properties.AppIDName ?? null,
    app_id: properties.Name ?? null,
    app_id_prefix: properties.ApplicationIdentifierPrefix ?? null,
    xcode_managed: properties.IsXcodeManaged ?? null,
    entitlements: properties.Entitlements ?? null,
    devices: properties.ProvisionedDevices ?? null,
    certificate_ids: certificates.map((der) => ofCertificate(new X509Certificate(Buffer.from(der as Uint8Array))).id),
  } as SecureFileMetadata;
}

const readers: Readonly<Record<string, (content: Buffer) => SecureFileMetadata | null>> = {
  cer: (content) => ofCertificate(new X509Certificate(content)),
  p12: (content) => ofFirst(certificatesOfPkcs12(content)),
  mobileprovision: ofProfile,
};

/** Null for files of other kinds, and where the file is broken or its password is not empty. */
export function metadataOf(name: string, content: Buffer): SecureFileMetadata | null {
  const reader = readers[/\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];
  try {
    return reader?.(content) ?? null;
  } catch {
    return null;
  }
}
