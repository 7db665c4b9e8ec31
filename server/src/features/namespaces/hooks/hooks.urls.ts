/** Addresses that webhooks may have: what is sent there leaves the instance, or is meant to reach the local network. */
import { BlockList, isIP, isIPv6 } from 'node:net';

const local = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  local.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  local.addSubnet(network, bits, 'ipv6');

export interface HookUrlRules {
  readonly allowLocal: boolean;
  /** Hosts, addresses and ranges that may be reached all the same. */
  readonly allowed: readonly string[];
  /** Only those. */
  readonly onlyAllowed: boolean;
}

const isLocal = (address: string) => local.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/** Whether an entry of the list is about the host: the host itself, with a port or without, or a range that it is in. */
function covers(entry: string, host: string, port: string): boolean {
  const [network = '', bits] = entry.split('/');
  if (bits !== undefined) {
    if (isIP(host) === 0 || isIP(network) === 0 || !/^\d{1,3}$/.test(bits)) return false;
    const list = new BlockList();
    list.addSubnet(network, Number(bits), isIPv6(network) ? 'ipv6' : 'ipv4');
    return list.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
  }
  const wanted = entry.toLowerCase();
  return wanted === host || wanted === `${host}:${port}` || wanted === `[${host}]`;
}

/** Whether something may be sent there. Names are resolved when it is sent, and what they resolve to is checked then. */
export function mayCall(text: string, rules: HookUrlRules): boolean {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false;
  // The parser has made one spelling of all the spellings of an address.
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (host === '') return false;
  if (rules.allowed.some((entry) => covers(entry.trim(), host, port))) return true;
  if (rules.onlyAllowed) return false;
  if (rules.allowLocal) return true;
  if (isIP(host) !== 0) return !isLocal(host);
  return host !== 'localhost' && !host.endsWith('.localhost') && !host.endsWith('.local');
}
