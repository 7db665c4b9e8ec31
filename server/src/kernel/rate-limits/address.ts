/** What a client address counts as: an IPv4 address by itself, an IPv6 address by the /64 that one customer is given. */

/** The two halves around `::`, each a list of groups; null when the text is no IPv6 address. */
function groupsOf(address: string): string[] {
  const [before = '', after] = address.split('::', 2) as [string, string | undefined];
  const head = before === '' ? [] : before.split(':');
  if (after === undefined) return head;
  const tail = after === '' ? [] : after.split(':');
  return [...head, ...Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0'), ...tail];
}

/** The unit that limits count. Addresses of IPv4 clients on an IPv6 socket (`::ffff:192.0.2.1`) are the IPv4 address. */
export function addressUnit(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const groups = groupsOf(address.split('%', 1)[0] ?? '').slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
