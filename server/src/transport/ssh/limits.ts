/** How many connections there may be: in all, before they signed in, from one address, and new ones in a minute. */
import { addressUnit } from '../../kernel/rate-limits/address.ts';

export interface ConnectionLimits {
  readonly connections: number;
  /** Not signed in. */
  readonly logins: number;
  /** New ones from one address in a minute; 0 for no limit. */
  readonly addressRate: number;
}

export interface Admission {
  /** It signed in, or is gone: it no longer counts as somebody at the door. */
  readonly entered: () => void;
  readonly left: () => void;
}

const minute = 60_000;
const mostAddresses = 50_000;

/** `now` is a monotonic clock in milliseconds. */
export function createConnectionLimits(limits: ConnectionLimits, now: () => number = () => performance.now()) {
  let connections = 0;
  let logins = 0;
  const waiting = new Map<string, number>();
  let recent = new Map<string, { since: number; count: number }>();
  const perAddress = Math.max(1, Math.floor(limits.logins / 4));

  /** Counts a new connection in its address's minute; false when there were too many. */
  function countNew(address: string): boolean {
    if (limits.addressRate === 0) return true;
    const known = recent.get(address);
    if (known && now() - known.since < minute) {
      known.count += 1;
      return known.count <= limits.addressRate;
    }
    if (recent.size >= mostAddresses) recent = new Map();
    recent.set(address, { since: now(), count: 1 });
    return true;
  }

  return {
    /** Counts a connection, or answers why there is no place for it. */
    admit(remote: string): Admission | string {
      const address = addressUnit(remote);
      if (!countNew(address)) return `ssh_address_rate is ${limits.addressRate} connections a minute`;
      if (connections >= limits.connections) return `ssh_connections is ${limits.connections}`;
      const own = waiting.get(address) ?? 0;
      if (logins >= limits.logins || own >= perAddress)
        return `ssh_logins is ${limits.logins}, ${perAddress} from one address`;
      connections += 1;
      logins += 1;
      waiting.set(address, own + 1);
      let atTheDoor = true;
      let here = true;
      const entered = () => {
        if (!atTheDoor) return;
        atTheDoor = false;
        logins -= 1;
        const left = (waiting.get(address) ?? 1) - 1;
        if (left > 0) waiting.set(address, left);
        else waiting.delete(address);
      };
      return {
        entered,
        left: () => {
          entered();
          if (here) connections -= 1;
          here = false;
        },
      };
    },
    count: () => connections,
  };
}
export type Admissions = ReturnType<typeof createConnectionLimits>;
