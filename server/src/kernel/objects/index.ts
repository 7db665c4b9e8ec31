/** Opens the object storage that the configuration names. */
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { openDrafts, openFileStore } from './files.ts';
import { parseS3Url } from './s3/location.ts';
import type { ObjectStore } from './store.ts';

export type { ObjectStore } from './store.ts';

/** What is read of the configuration. */
export type ObjectsConfig = Pick<
  Config,
  'data' | 'objects' | 'awsAccessKeyId' | 'awsSecretAccessKey' | 'awsSessionToken' | 'awsRegion'
>;

/**
 * Opens a store by its URL: `file:/path`, whose directories are created, or `s3://bucket/prefix`. For a bucket a directory of
 * files in flight is made in the data directory, unless nobody puts any there.
 */
export async function openObjectStore(config: ObjectsConfig, { drafts = true } = {}): Promise<ObjectStore> {
  const url = config.objects;
  if (url.startsWith('s3:')) {
    const location = parseS3Url(url);
    // Loaded when it is used: 140 ms and 39 MB that an instance with files does not pay.
    const { openS3Store } = await import('./s3/store.ts');
    const temporary = path.join(config.data, 'drafts');
    if (drafts) await openDrafts(temporary);
    return openS3Store(location, config, temporary);
  }
  if (!url.startsWith('file:')) throw new Error(`MILLRACE_OBJECTS: ${url} is neither file:/path nor s3://bucket`);
  return await openFileStore(decodeURIComponent(url.slice('file:'.length).replace(/^\/\/(?=\/)/, '')));
}
