/** Addresses of components, and which release a version means. */

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

const partial = /^v?(\d{1,9})(?:\.(\d{1,9}))?$/;
const latest = '~latest';

/** Whether the version stands for one of several releases. */
export const wantsReleased = (wanted: string): boolean => wanted === latest || partial.test(wanted);

/** The highest of the tags that fits `~latest`, `1`, `1.2` or is the same; pre-releases only by their whole name. */
export function releasedVersion(tags: readonly string[], wanted: string): string | null {
  if (!wantsReleased(wanted)) return tags.find((tag) => tag === wanted && numbers.test(tag)) ?? null;
  const [, major, minor] = partial.exec(wanted) ?? [];
  const fitting = tags.flatMap((tag) => {
    const [, ...found] = numbers.exec(tag) ?? [];
    if (found.length === 0 || found[3] !== undefined) return [];
    const parts = found.slice(0, 3).map(Number);
    const fits =
      (major === undefined || parts[0] === Number(major)) && (minor === undefined || parts[1] === Number(minor));
    return fits ? [{ tag, parts }] : [];
  });
  const compare = (a: readonly number[], b: readonly number[]) => {
    const at = a.findIndex((part, index) => part !== b[index]);
    return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
  };
  return fitting.sort((a, b) => compare(b.parts, a.parts))[0]?.tag ?? null;
}
