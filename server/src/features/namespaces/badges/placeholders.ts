/** `%{...}` in the addresses of badges: what each stands for in a project. */
import { invalidRecord } from '../../../kernel/http/errors.ts';

/** What a project fills in; the slow ones are asked only where an address has them. */
export interface PlaceholderValues {
  readonly project_path: string;
  readonly project_title: string;
  readonly project_name: string;
  readonly project_id: string;
  readonly project_namespace: string;
  readonly group_name: string;
  readonly default_branch: string;
  readonly server: string;
  commitSha(): Promise<string>;
  latestTag(): Promise<string>;
}

const pattern = /%\{([a-z_]+)\}/g;
const quick = [
  'project_path',
  'project_title',
  'project_name',
  'project_id',
  'project_namespace',
  'group_name',
  'default_branch',
] as const;

/** Inside an address nothing may begin another part of it; slashes of paths stay. */
const escaped = (text: string) => encodeURIComponent(text).replaceAll('%2F', '/');

/** The address with everything filled in; what no placeholder is called stays as it is. */
export async function render(url: string, values: PlaceholderValues): Promise<string> {
  const wanted = new Set([...url.matchAll(pattern)].map(([, name]) => name ?? ''));
  const known = new Map<string, string>(quick.map((name) => [name, values[name]]));
  // The name that clients know, and ours.
  for (const name of ['gitlab_server', 'server_host']) known.set(name, values.server);
  if (wanted.has('commit_sha')) known.set('commit_sha', await values.commitSha());
  if (wanted.has('latest_tag')) known.set('latest_tag', await values.latestTag());
  return url.replaceAll(pattern, (whole, name: string) => {
    const value = known.get(name);
    return value === undefined ? whole : escaped(value);
  });
}

/** Why an address cannot be a badge's; null when it can. Placeholders count as text. */
function reason(url: string): string | null {
  const parsed = URL.parse(url.replaceAll(pattern, 'x'));
  if (!parsed) return 'is blocked: URI is invalid';
  return parsed.protocol === 'http:' || parsed.protocol === 'https:'
    ? null
    : 'is blocked: Only allowed schemes are http, https';
}

/** Throws the API's 400 for addresses that a page could not link to safely. */
export function checkUrls(urls: { readonly link_url?: string; readonly image_url?: string }): void {
  const wrong = Object.entries(urls).flatMap(([key, url]) => {
    const why = url === undefined ? null : reason(url);
    return why === null ? [] : [[key, [why]] as const];
  });
  if (wrong.length > 0) throw invalidRecord(Object.fromEntries(wrong));
}
