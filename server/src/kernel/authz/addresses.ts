/** Networks from which a group and everything below it may be reached. */
import { BlockList, isIP } from 'node:net';

const compiled = new Map<string, BlockList>();
const most = 1000;

/** `::ffff:10.0.0.1` is the way in which a socket for both families shows 10.0.0.1. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

function networksOf(ranges: string): BlockList {
  const known = compiled.get(ranges);
  if (known) return known;
  const list = new BlockList();
  for (const range of ranges.split(',')) {
    const [address = '', bits] = range.trim().split('/');
    const version = isIP(address);
    if (version === 0) continue;
    const family = version === 4 ? 'ipv4' : 'ipv6';
    list.addSubnet(address, bits === undefined ? (version === 4 ? 32 : 128) : Number(bits), family);
  }
  // A text means the same for ever; only their number is bounded.
  if (compiled.size >= most) compiled.clear();
  compiled.set(ranges, list);
  return list;
}

/** Whether an address is in one of the ranges, `10.0.0.0/8,192.168.1.7`; what is no address is in none. */
export function isWithin(ranges: string, address: string): boolean {
  const own = plain(address);
  const version = isIP(own);
  return version !== 0 && networksOf(ranges).check(own, version === 4 ? 'ipv4' : 'ipv6');
}
