/** Addresses of components, and which versions they ask for. */

export interface ComponentAddress {
  readonly project: string;
  readonly name: string;
  readonly version: string;
}

/** `HOST/GROUP/PROJECT/NAME@VERSION`; why it is none otherwise. `here` is the host with the path of the instance. */
export function parseComponent(address: string, here: string): ComponentAddress | string {
  const at = address.indexOf('@');
  const path = at === -1 ? address : address.slice(0, at);
  const version = at === -1 ? '' : address.slice(at + 1);
  if (!path.startsWith(`${here}/`)) return 'it is not of this instance';
  if (version === '') return 'it has no version';
  const [, project, name] = /^(.+\/[^/]+)\/([\w-]+)$/.exec(path.slice(here.length + 1)) ?? [];
  return project && name ? { project, name, version } : 'it is not `HOST/GROUP/PROJECT/NAME@VERSION`';
}

const numbers = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[\w.-]+)?(?:\+[\w.-]+)?$/;
/** The numbers of a semantic version, and what makes it a pre-release; null for any other tag. */
export function semanticVersion(tag: string) {
  const [, major, minor, patch, prerelease] = numbers.exec(tag) ?? [];
  if (major === undefined) return null;
  return {
    major: Number(major),
    minor: Number(minor),
    patch: Number(patch),
    prerelease: prerelease?.slice(1) ?? null,
  };
}

/** The name of the component that a file of a project is; null for other files. */
export const componentName = (path: string): string | null =>
  /^templates\/([\w-]+)(?:\/template)?\.yml$/.exec(path)?.[1] ?? null;

const partial = /^(\d{1,9})(?:\.(\d{1,9}))?$/;
const latest = '~latest';

/** The numbers of which the highest published version is meant; null for a version that stands for itself. */
export function publishedRange(
  wanted: string,
): { readonly major: number | null; readonly minor: number | null } | null {
  if (wanted === latest) return { major: null, minor: null };
  const [, major, minor] = partial.exec(wanted) ?? [];
  return major === undefined ? null : { major: Number(major), minor: minor === undefined ? null : Number(minor) };
}
