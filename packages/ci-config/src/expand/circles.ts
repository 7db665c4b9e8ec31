/** Variables that refer to each other in a circle. One that refers to itself alone is none: it means what its name stood for before. */

/**
 * The groups of `nodes` in which each leads to each other one, in the order in which they are reached first. `next` answers what
 * a node refers to. Tarjan's algorithm, without recursion: chains may be long.
 */
export function circlesAmong<T>(nodes: readonly T[], next: (node: T) => readonly T[]): T[][] {
  const index = new Map<T, number>();
  const lowest = new Map<T, number>();
  const waiting: T[] = [];
  const isWaiting = new Set<T>();
  const circles: T[][] = [];
  const enter = (node: T) => {
    index.set(node, index.size);
    lowest.set(node, index.get(node)!);
    waiting.push(node);
    isWaiting.add(node);
    return { node, rest: [...next(node)] };
  };
  const lower = (node: T, to: number) => lowest.set(node, Math.min(lowest.get(node)!, to));
  const close = (node: T) => {
    if (lowest.get(node) !== index.get(node)) return;
    const group = waiting.splice(waiting.lastIndexOf(node));
    for (const each of group) isWaiting.delete(each);
    if (group.length > 1) circles.push(group);
  };
  for (const root of nodes) {
    const path = index.has(root) ? [] : [enter(root)];
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const following = top.rest.shift();
      if (following === undefined) {
        close(top.node);
        path.pop();
        const above = path.at(-1);
        if (above) lower(above.node, lowest.get(top.node)!);
      } else if (!index.has(following)) path.push(enter(following));
      else if (isWaiting.has(following)) lower(top.node, index.get(following)!);
    }
  }
  return circles;
}
