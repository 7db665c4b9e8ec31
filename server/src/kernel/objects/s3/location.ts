/** The address of a bucket: `s3://bucket/prefix?endpoint=...&region=...&path_style=...`. */

export interface S3Location {
  readonly bucket: string;
  /** In front of every key; empty, or with a slash at its end. */
  readonly prefix: string;
  /** Null for Amazon's own. */
  readonly endpoint: string | null;
  /** What signed addresses start with, where clients know the storage by another name than we do. */
  readonly publicEndpoint: string | null;
  /** Null where the environment says it. */
  readonly region: string | null;
  /** The bucket is in the path of the address instead of its host name. */
  readonly pathStyle: boolean;
  /** Downloads go through us: clients do not reach the storage. */
  readonly proxy: boolean;
}

const form =
  's3://bucket/prefix?endpoint=https://host&region=name&path_style=true&proxy=false&public_endpoint=https://host';

function refuse(reason: string): never {
  throw new Error(`${form}: ${reason}`);
}

function origin(name: string, text: string | null): string | null {
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : refuse(`${name} is not a URL`);
  if (!/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash || url.username || url.password)
    refuse(`${name} must be an http or https URL without a path`);
  return url.origin;
}

function flag(name: string, text: string | null, fallback: boolean): boolean {
  if (text === null) return fallback;
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  return refuse(`${name} must be true or false`);
}

const parameters = ['endpoint', 'public_endpoint', 'region', 'path_style', 'proxy'];

/** Reads the address. Throws with what is accepted; never repeats the text, which may hold a secret by mistake. */
export function parseS3Url(text: string): S3Location {
  const url = URL.canParse(text) ? new URL(text) : refuse('this is not a URL');
  if (url.protocol !== 's3:') refuse('it must start with s3://');
  if (url.username !== '' || url.password !== '')
    refuse('keys belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  if (url.hash !== '' || url.port !== '') refuse('it has no port and no fragment; endpoint names the host');
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/.test(url.hostname)) refuse('the bucket has no valid name');
  const prefix = url.pathname.replaceAll(/^\/+|\/+$/g, '');
  if (!/^[A-Za-z0-9!_.*()/-]*$/.test(prefix) || prefix.length > 200 || /(^|\/)\.{0,2}(\/|$)/.test(prefix || 'x'))
    refuse('the prefix has other characters than letters, digits and !_.*()-/');
  for (const name of url.searchParams.keys())
    if (!parameters.includes(name)) refuse(`${name} is not one of ${parameters.join(', ')}`);
  const endpoint = origin('endpoint', url.searchParams.get('endpoint'));
  const region = url.searchParams.get('region');
  if (region !== null && !/^[a-z0-9-]{1,50}$/i.test(region)) refuse('region is not the name of a region');
  return {
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    publicEndpoint: origin('public_endpoint', url.searchParams.get('public_endpoint')),
    region,
    pathStyle: flag('path_style', url.searchParams.get('path_style'), endpoint !== null),
    proxy: flag('proxy', url.searchParams.get('proxy'), false),
  };
}
