/** SSH keys, limits and sizes of the instance as its page shows them. */
import type { InstanceConfiguration } from './instance.ts';
import { duration } from './time.ts';

const standardPort = 22;

/** Lines of `known_hosts`: clients write the port where it is not the usual one. */
export function knownHosts({ host, port, host_keys }: NonNullable<InstanceConfiguration['ssh']>): string {
  const name = port === standardPort ? host : `[${host}]:${port}`;
  return host_keys.map(({ key }) => `${name} ${key}`).join('\n');
}

const kinds: Readonly<Record<string, string>> = {
  ed25519: 'Ed25519',
  ed25519_sk: 'Ed25519 on a security key',
  ecdsa: 'ECDSA',
  ecdsa_sk: 'ECDSA on a security key',
  rsa: 'RSA',
  dsa: 'DSA',
};

/** `Ed25519, RSA from 3072 bits`. */
export function allowedKeys(keys: InstanceConfiguration['ssh_keys']): string {
  const words = keys
    .filter(({ allowed }) => allowed)
    .map(({ kind, minimum_bits: bits }) => `${kinds[kind] ?? kind}${bits === null ? '' : ` from ${bits} bits`}`);
  return words.length === 0 ? 'none' : words.join(', ');
}

const throttled: Readonly<Record<string, string>> = {
  unauthenticated_api: 'Unauthenticated API requests per IP address',
  unauthenticated_web: 'Unauthenticated web requests per IP address',
  unauthenticated_git_http: 'Unauthenticated git requests over HTTP per IP address',
  authenticated_api: 'Authenticated API requests per user',
  authenticated_web: 'Authenticated web requests per user',
  authenticated_git_http: 'Authenticated git requests over HTTP per user',
};

type Row = readonly [what: string, value: string];

const days = (number: number | null) => (number === null ? 'no limit' : number === 1 ? '1 day' : `${number} days`);
/** As administrators set them: in powers of 1024. */
const size = (bytes: number) =>
  bytes >= 1024 ** 2
    ? `${Math.round((bytes / 1024 ** 2) * 10) / 10} MiB`
    : bytes >= 1024
      ? `${Math.round((bytes / 1024) * 10) / 10} KiB`
      : `${bytes} B`;
const count = (number: number) => number.toLocaleString('en');

/** Sections of the page: what is limited, and to how much. */
export function limitSections(of: InstanceConfiguration): readonly (readonly [title: string, rows: readonly Row[]])[] {
  const { limits, throttles } = of;
  const requests = throttles.map(
    ({ name, requests: number, period }): Row => [
      throttled[name] ?? name,
      `${count(number)} in ${period === 60 ? 'a minute' : duration(period)}`,
    ],
  );
  const operations: Row[] =
    of.ssh === null
      ? []
      : [
          [
            'git operations over SSH per user and project',
            limits.ssh_operations === null ? 'no limit' : `${count(limits.ssh_operations)} in a minute`,
          ],
        ];
  return [
    [
      'Sizes',
      [
        ['Attachment', size(limits.attachment_bytes)],
        ['Avatar', size(limits.avatar_bytes)],
        ['Artifacts of a job, unless its group or project has its own limit', size(limits.artifacts_bytes)],
        ['CI/CD configuration file', size(limits.ci_file_bytes)],
        ['CI/CD configuration with all its includes', size(limits.ci_configuration_bytes)],
        ['Files included by a CI/CD configuration', count(limits.ci_includes)],
      ],
    ],
    [
      'Accounts',
      [
        ['Allowed SSH keys', allowedKeys(of.ssh_keys)],
        ['Lifetime of SSH keys', days(limits.ssh_key_days)],
        ['Lifetime of access tokens', days(limits.access_token_days)],
        ['Personal projects of new users', count(limits.personal_projects)],
      ],
    ],
    ['Requests', [...requests, ...operations]],
  ];
}
