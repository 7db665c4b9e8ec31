/**
 * What a page loads first, said with its document: the browser fetches it while it still loads the script that asks. The
 * build says which files and which answers of the API the page of an address begins with.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reservedAtTheTop } from '../../features/namespaces/index.ts';

/** The file that the build leaves beside the document. */
export const firstLoadsFile = 'first-loads.json';

interface FirstLoads {
  /** Of every page. */
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
  /** Pages that have also been at addresses without `/-/`. */
  readonly old: readonly string[];
  readonly pages: ReadonlyArray<{
    readonly of: 'project' | 'group' | 'instance';
    /** A regular expression of what follows the address of the project or group. */
    readonly path: string;
    readonly files: readonly string[];
    /** Addresses of the API, below that of the project or group; with a slash before them below nothing. */
    readonly asks?: readonly string[];
  }>;
}

/** Full paths of projects and groups have no other characters: nothing could end the address in the header. */
const fullPath = /^[\w.-]+(\/[\w.-]+)*$/;

interface Place {
  readonly of: 'project' | 'group' | 'instance';
  /** The address of the object at the API; null where the page has none that is known from its address. */
  readonly api: string | null;
  readonly query: string;
  readonly rest: string;
}

/** What pages of projects and groups ask of the object whose header they show. */
const ofProject = '?license=true&with_starred=true&with_counts=true';
const ofGroup = '?with_projects=false&with_own_access_level=true&with_counts=true';

/** What an address is about, and which of its pages it is. */
function placeOf(path: string, old: ReadonlySet<string>): Place {
  const [before = '', below] = path.split('/-/', 2);
  const name = before.replace(/^\/+|\/+$/g, '');
  const segments = name.split('/');
  const [first = '', ...others] = segments;
  const elsewhere = { of: 'instance', api: null, query: '', rest: path.replace(/^\/+/, '') } as const;
  if (!fullPath.test(name)) return elsewhere;
  if (first === 'groups' && others.length > 0 && (below !== undefined || others[0] !== 'new')) {
    const api = `/api/v4/groups/${others.join('%2F')}`;
    return { of: 'group', api, query: ofGroup, rest: below ?? '' };
  }
  if (others.length === 0 || first === 'u' || reservedAtTheTop.has(first)) return elsewhere;
  const at = segments.findIndex((segment, index) => index >= 2 && old.has(segment));
  if (below === undefined && at !== -1) {
    const api = `/api/v4/projects/${segments.slice(0, at).join('%2F')}`;
    return { of: 'project', api, query: ofProject, rest: segments.slice(at).join('/') };
  }
  return { of: 'project', api: `/api/v4/projects/${segments.join('%2F')}`, query: ofProject, rest: below ?? '' };
}

const asked = (address: string) => `<${address}>; rel=preload; as=fetch; crossorigin`;
const script = (name: string) => `</${name}>; rel=modulepreload`;
const style = (name: string) => `</${name}>; rel=preload; as=style; crossorigin`;

/** Reads what the build in a directory says, which may be one that says nothing. */
export function readFirstLoads(directory: string): FirstLoads {
  const file = join(directory, firstLoadsFile);
  if (!existsSync(file)) return { scripts: [], styles: [], old: [], pages: [] };
  return JSON.parse(readFileSync(file, 'utf8')) as FirstLoads;
}

/**
 * The `Link` of a page's document: the scripts of every page first, without which nothing goes on; then who is signed in,
 * the object whose header stands above the page, and what the page itself begins with. Whoever has a session may be signed in.
 */
export function firstRequests({ scripts, styles, old, pages }: FirstLoads): (url: string, signedIn: boolean) => string {
  const always = [...scripts.map(script), ...styles.map(style), asked('/-/session')];
  const oldPages = new Set(old);
  const known = pages.map((page) => ({ ...page, pattern: new RegExp(`^(?:${page.path})/?$`) }));
  return (url, signedIn) => {
    const [path = '', search] = url.split('?', 2);
    const { of, api, query, rest } = placeOf(path, oldPages);
    const page = known.find((each) => each.of === of && each.pattern.test(rest));
    const below = (address: string) => rest.replace(page?.pattern ?? '', address);
    const asks = (search === undefined ? (page?.asks ?? []) : []).flatMap((address) => {
      if (address.startsWith('/')) return signedIn ? [`/api/v4${below(address)}`] : [];
      return api === null ? [] : [`${api}/${below(address)}`];
    });
    return [
      ...always,
      ...(api === null ? [] : [asked(`${api}${query}`)]),
      ...asks.map(asked),
      ...(page?.files ?? []).map(script),
    ].join(', ');
  };
}
