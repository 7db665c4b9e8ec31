/** Bounds on what one request or connection may be. */
import { key } from './key.ts';

type LimitName =
  | 'maxParameterBytes'
  | 'maxFileBytes'
  | 'maxFiles'
  | 'maxParameters'
  | 'maxParameterDepth'
  | 'maxUnpackRatio'
  | 'maxHeldBytes'
  | 'maxAnonymousHeldBytes'
  | 'maxNegotiationBytes'
  | 'sshConnections'
  | 'sshLogins'
  | 'sshLoginSeconds'
  | 'sshLoginTries'
  | 'sshAddressRate'
  | 'sshStallSeconds'
  | 'gitHttpStallSeconds'
  | 'lfsBatchObjects'
  | 'lfsStallSeconds'
  | 'fetchCacheBytes'
  | 'maxImageBytes'
  | 'imageCacheBytes'
  | 'maxCacheBytes'
  | 'maxProjectCacheBytes';

/**
 * A bound on what one request or connection may be; the error that it causes gives its name in `millrace.toml` and its
 * value.
 */
const limit = (name: LimitName, fallback: number, maximum: number, description: string, minimum = 1) =>
  key({
    name,
    env: `MILLRACE_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
    description,
    fallbackText: `\`${fallback}\``,
    fallback: () => fallback,
    parse: (text) => {
      const value = Number(text);
      if (!Number.isInteger(value) || value < minimum || value > maximum)
        throw new Error(`a whole number from ${minimum} to ${maximum}`);
      return value;
    },
  });

export const limits = [
  limit('maxParameterBytes', 10 * 1024 * 1024, 512 * 1024 * 1024, 'Bytes of a JSON or form body, files not counted'),
  limit('maxFileBytes', 100 * 1024 * 1024, 2 ** 40, 'Bytes of one uploaded file where no setting says otherwise'),
  limit('maxFiles', 50, 10_000, 'Files in one request'),
  limit('maxParameters', 50_000, 1_000_000, 'Values in one request, those in hashes and arrays included'),
  limit('maxParameterDepth', 32, 1000, 'Levels of hashes and arrays inside each other in one request'),
  limit(
    'maxUnpackRatio',
    100,
    1032,
    'Unpacked bytes for each byte of a compressed body, once there are more than 256 KiB',
  ),
  limit('maxHeldBytes', 512 * 1024 ** 2, 2 ** 40, 'Bytes of request bodies in memory at once, in one process'),
  limit('maxAnonymousHeldBytes', 128 * 1024 ** 2, 2 ** 40, 'The part of them that anonymous callers may fill'),
  limit(
    'maxNegotiationBytes',
    32 * 1024 ** 2,
    2 ** 40,
    'Unpacked bytes in which git says what it wants and has (a fetch), or which refs it moves (a push)',
  ),
  limit('sshConnections', 5000, 100_000, 'SSH connections at once, idle ones included'),
  limit(
    'sshLogins',
    200,
    10_000,
    'SSH connections at once that have not signed in; a quarter of them from one address',
  ),
  limit('sshLoginSeconds', 60, 600, 'Seconds in which an SSH connection has to sign in'),
  limit('sshLoginTries', 10, 100, 'Keys that an SSH connection may try'),
  limit('sshAddressRate', 300, 100_000, 'New SSH connections from one address in a minute; 0 for no limit', 0),
  limit('sshStallSeconds', 600, 86_400, 'Seconds in which an SSH command may neither receive nor send a byte'),
  limit('gitHttpStallSeconds', 600, 86_400, 'Seconds in which git over HTTP may neither receive nor send a byte'),
  limit('lfsBatchObjects', 1000, 100_000, 'Objects in one batch request of Git LFS'),
  limit('lfsStallSeconds', 60, 86_400, 'Seconds in which an upload of Git LFS must bring 1 KiB for each of them'),
  limit(
    'fetchCacheBytes',
    2 * 1024 ** 3,
    2 ** 50,
    'Bytes of answers to fetches in `fetch-cache` of the data directory; 0 keeps none',
    0,
  ),
  limit('maxImageBytes', 10 * 1024 ** 2, 2 ** 30, 'Bytes of one image from elsewhere that documents show'),
  limit(
    'imageCacheBytes',
    256 * 1024 ** 2,
    2 ** 50,
    'Bytes of images from elsewhere in `image-cache` of the data directory; 0 keeps none',
    0,
  ),
  limit('maxCacheBytes', 1024 ** 3, 2 ** 40, 'Bytes of one job cache of the built-in runner'),
  limit(
    'maxProjectCacheBytes',
    10 * 1024 ** 3,
    2 ** 50,
    'Bytes of all job caches of a project; the least recently used are deleted',
  ),
];
