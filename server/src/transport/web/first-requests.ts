/** What a page asks for first, said with its document: the browser fetches it while it still loads the script that asks. */
import { reservedAtTheTop } from '../../features/namespaces/index.ts';

/** Full paths of projects and groups have no other characters: nothing could end the address in the header. */
const fullPath = /^[\w.-]+(\/[\w.-]+)*$/;

/** The request for the project or group that an address names; null for the address of another page. */
function subject(url: string): string | null {
  const [path = ''] = url.split('?', 1);
  const [before = '', below] = path.split('/-/', 2);
  const name = before.replace(/^\/+|\/+$/g, '');
  if (!fullPath.test(name)) return null;
  const segments = name.split('/');
  const [first = '', ...others] = segments;
  if (first === 'groups' && others.length > 0 && below !== undefined)
    return `/api/v4/groups/${others.join('%2F')}?with_projects=false`;
  return others.length === 0 || reservedAtTheTop.has(first) ? null : `/api/v4/projects/${segments.join('%2F')}`;
}

/** The `Link` of a page's document: who is signed in, and the object whose header stands above the page. */
export function firstRequests(url: string): string {
  const about = subject(url);
  return ['/-/session', ...(about === null ? [] : [about])]
    .map((address) => `<${address}>; rel=preload; as=fetch; crossorigin`)
    .join(', ');
}
