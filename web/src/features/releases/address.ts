/** Addresses below `releases/`: nothing, `new`, `TAG` and `TAG/edit`, where tags may have slashes. */

interface ReleaseAddress {
  readonly kind: 'list' | 'new' | 'one' | 'edit';
  readonly tag: string;
}

export function releaseAddress(rest: string): ReleaseAddress {
  if (rest === '') return { kind: 'list', tag: '' };
  if (rest === 'new') return { kind: 'new', tag: '' };
  return rest.endsWith('/edit') ? { kind: 'edit', tag: rest.slice(0, -'/edit'.length) } : { kind: 'one', tag: rest };
}
