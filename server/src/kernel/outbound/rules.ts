/** What may be reached: by the address as it is written, and by what its name stands for. */
import { isIP } from 'node:net';
import { covers, isLocalAddress, plainAddress } from './addresses.ts';

export interface Reach {
  readonly allowLocal: boolean;
  /** Hosts, addresses and ranges that may be reached all the same. */
  readonly allowed: readonly string[];
  /** Only those. */
  readonly onlyAllowed: boolean;
}

/** Where a URL leads. */
export interface Destination {
  readonly url: URL;
  /** Without brackets and a dot at its end. */
  readonly host: string;
  readonly port: string;
}

/** Null for what is no address of http or https. */
export function destinationOf(text: string): Destination | null {
  // The parser would repair an address with a space into another one.
  const url = /\s/.test(text) ? null : URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  // The parser has made one spelling of all the spellings of an address.
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (host === '') return null;
  return { url, host, port: url.port || (url.protocol === 'https:' ? '443' : '80') };
}

/** Where an address of SSH leads; null for any other. */
export function sshDestinationOf(text: string): Destination | null {
  const url = /\s/.test(text) ? null : URL.parse(text);
  if (url?.protocol !== 'ssh:' || url.hostname === '') return null;
  // Read as one of HTTP, which has one spelling for all the spellings of an address.
  const named = destinationOf(`http://${url.hostname}:${url.port || '22'}`);
  return named && { ...named, url, port: url.port || '22' };
}

const localName = (host: string) => host === 'localhost' || /\.(?:localhost|local|internal)$/.test(host);

/** What speaks against it as it is written, or null. What a name stands for is judged by `refusedAddress`, when it is used. */
export function refusedHost({ host, port }: Destination, reach: Reach): string | null {
  if (reach.allowed.some((entry) => covers(entry.trim(), host, port))) return null;
  if (reach.onlyAllowed) return 'The address is not on the list';
  if (reach.allowLocal) return null;
  if (isIP(host) === 0) return localName(host) ? 'Requests to the local network are not allowed' : null;
  return isLocalAddress(host) ? 'Requests to the local network are not allowed' : null;
}

/** What speaks against an address that the host stands for, or null. */
export function refusedAddress({ host, port }: Destination, address: string, reach: Reach): string | null {
  const names = [host, address, plainAddress(address)];
  if (reach.allowed.some((entry) => names.some((name) => covers(entry.trim(), name, port)))) return null;
  if (reach.onlyAllowed) return 'The address is not on the list';
  return !reach.allowLocal && isLocalAddress(address) ? 'Requests to the local network are not allowed' : null;
}
