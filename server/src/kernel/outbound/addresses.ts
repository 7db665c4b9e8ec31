/** Which addresses are of the local network, and which entries of the list of allowed ones are about an address. */
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
  // Unspecified, loopback, and IPv4 written as IPv6 in the old way.
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  // Tunnels: the address of the other end is inside.
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  local.addSubnet(network, bits, 'ipv6');

const mapped = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([\da-f]{1,4}):([\da-f]{1,4}))$/i;

/** An IPv4 address that is written as IPv6, as the IPv4 address that is reached; others as they are. */
export function plainAddress(address: string): string {
  const [, dotted, high, low] = mapped.exec(address) ?? [];
  if (dotted !== undefined) return dotted;
  if (high === undefined || low === undefined) return address;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Loopback, private, link-local, multicast, reserved: what a request of a stranger must not reach. */
export const isLocalAddress = (address: string): boolean => {
  const plain = plainAddress(address);
  return isIP(plain) === 0 || local.check(plain, family(plain));
};

/** Whether an entry of the list is about the host: the host itself, with a port or without, or a range that it is in. */
export function covers(entry: string, host: string, port: string): boolean {
  const [network = '', bits] = entry.split('/');
  if (bits !== undefined) {
    const address = plainAddress(host);
    if (isIP(address) === 0 || isIP(network) === 0 || !/^\d{1,3}$/.test(bits)) return false;
    if (Number(bits) > (isIPv6(network) ? 128 : 32) || family(network) !== family(address)) return false;
    const list = new BlockList();
    list.addSubnet(network, Number(bits), family(network));
    return list.check(address, family(address));
  }
  const wanted = entry.toLowerCase();
  return [host, `${host}:${port}`, `[${host}]`, `[${host}]:${port}`].includes(wanted);
}
