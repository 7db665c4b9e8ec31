/**
 * What earlier answers named: collections with the places and ids of what is in them, so that later requests ask for what
 * there is. Whatever route comes, its ids are learnt from the answers of its collection.
 */
import type { Route } from '../../src/kernel/http/route.ts';
import type { Random } from './random.ts';

interface Remembered {
  /** Values of the path's parameters, in their order. */
  readonly values: readonly string[];
  readonly item: Readonly<Record<string, unknown>>;
  /** Who was told: others may not see it. */
  readonly by: string;
}

/** Where something is that a request can name, and who knows it. */
export interface Recalled {
  readonly path: Readonly<Record<string, string>>;
  readonly by: string;
}

const most = 40;
const parameter = /:([a-z_]+)/g;
const anonymous = (path: string) => path.replaceAll(parameter, ':');
const namesOf = (path: string) => [...path.matchAll(parameter)].map(([, name = '']) => name);
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The text by which a path names an object: the property of that name, else of its last word, else its id or name. */
function identity(item: Readonly<Record<string, unknown>>, name: string): string | null {
  const last = name.slice(name.lastIndexOf('_') + 1);
  for (const key of [name, last, /branch|tag|ref/.test(name) ? 'name' : 'id', 'name']) {
    const value = item[key];
    if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return String(value);
  }
  return null;
}

export interface Memory {
  learn(route: Route, path: Readonly<Record<string, string>>, by: string, body: string): void;
  /** Something that the route can be asked about; `made` says that only what requests have made will do. */
  recall(route: Route, made: boolean): Recalled | null;
}

export function createMemory(random: Random): Memory {
  const made = new Map<string, Remembered[]>();
  const listed = new Map<string, Remembered[]>();

  const keep = (pools: Map<string, Remembered[]>, key: string, entry: Remembered) => {
    const pool = pools.get(key) ?? [];
    pools.set(key, pool);
    if (pool.length < most) pool.push(entry);
    else pool[random.below(most)] = entry;
  };

  return {
    learn(route, path, by, body) {
      if ((route.method !== 'GET' && route.method !== 'POST') || !/^[[{]/.test(body)) return;
      const answer: unknown = JSON.parse(body);
      const pools = route.method === 'POST' ? made : listed;
      const values = namesOf(route.path).map((name) => path[name] ?? '');
      for (const item of (Array.isArray(answer) ? answer : [answer]).slice(0, 10))
        if (isObject(item)) keep(pools, anonymous(route.path), { values, item, by });
    },
    recall(route, onlyMade) {
      const names = namesOf(route.path);
      for (const [at, name] of [...names.entries()].reverse()) {
        // The world has projects and groups with something in them, and knows which.
        if (at === 0 && /^\/(projects|groups)\/:/.test(route.path)) return null;
        const key = anonymous(route.path.slice(0, route.path.indexOf(`/:${name}`)));
        const pool = [...(made.get(key) ?? []), ...(onlyMade ? [] : (listed.get(key) ?? []))];
        if (pool.length === 0) continue;
        const { values, item, by } = random.pick(pool);
        const own = identity(item, name);
        if (own === null || values.length !== at) continue;
        return {
          path: Object.fromEntries(names.slice(0, at + 1).map((each, index) => [each, values[index] ?? own])),
          by,
        };
      }
      return null;
    },
  };
}
