/** The cases of a report as they are stored: JSON, compressed. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { TestCase } from './junit.ts';

const gunzipped = promisify(gunzip);

export const unpackedCases = async (stored: Buffer): Promise<readonly TestCase[]> =>
  JSON.parse((await gunzipped(stored)).toString('utf8')) as TestCase[];
