/** How long work takes from the first push to production, by stages. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from './api.ts';
import type { PlaceKind } from './planning.ts';

export type Stage = Schemas['ValueStream']['stages'][number];

/** Of what finished in the last days. */
export const valueStream = (kind: PlaceKind, path: string, days: number) =>
  queryOptions({
    queryKey: [kind, path, 'value-stream', days],
    queryFn: () => {
      const to = new Date();
      const query = { from: new Date(to.getTime() - days * 86_400_000).toISOString(), to: to.toISOString() };
      const base = (kind === 'project' ? '/projects/{id}' : '/groups/{id}') as '/groups/{id}';
      return unwrap(client.GET(`${base}/value_stream` as const, { params: { path: { id: path }, query } }));
    },
    staleTime: 60_000,
  });

/** `2 d 4 h`, the two largest units. */
export function spanText(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
  ] as const;
  let rest = seconds;
  const parts = units.map(([name, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return [count, name] as const;
  });
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return 'less than a minute';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count} ${name}`)
    .join(' ');
}
