/** What the edge itself costs: validation of parameters and serialisation of a list, in this process, without a socket. */
import { declaredRoutes } from '../../../server/src/described.ts';
import { parametersOf } from '../../../server/src/kernel/http/mount.ts';
import { parseUrlEncoded } from '../../../server/src/kernel/http/params/nested.ts';
import { validateParameters } from '../../../server/src/kernel/http/params/validate.ts';
import type { Route } from '../../../server/src/kernel/http/route.ts';
import { serialiser } from '../../../server/src/kernel/http/serialise.ts';
import { type Context, spread } from '../context.ts';

const rounds = 60;
const perRound = 20;
const noJson: ReadonlySet<string> = new Set();

/** Milliseconds of one call, once per round, after the code is warm. */
function times(work: () => unknown): number[] {
  for (let count = 0; count < rounds * 5; count++) work();
  return Array.from({ length: rounds }, () => {
    const begin = performance.now();
    for (let count = 0; count < perRound; count++) work();
    return (performance.now() - begin) / perRound;
  });
}

function routeOf(routes: readonly Route[], path: string): Route {
  const route = routes.find((each) => each.method === 'GET' && each.path === path);
  if (!route) throw new Error(`no route GET ${path}`);
  return route;
}

export async function edge({ ours, add }: Context): Promise<void> {
  const routes = declaredRoutes();
  const { target, project } = ours;
  const lists = [
    ['branches', '/projects/:id/repository/branches', `${project.api}/repository/branches?per_page=100`],
    ['commits', '/projects/:id/repository/commits', `${project.api}/repository/commits?per_page=100`],
    ['projects', '/projects', '/projects?per_page=100'],
  ] as const;
  for (const [name, path, ask] of lists) {
    const route = routeOf(routes, path);
    const found = await target.call<unknown[]>('GET', ask);
    // The same item is as good as another: its cost is that of its schema.
    const items = Array.from({ length: 100 }, (_item, index) => found[index % found.length]);
    const schema = route.responses[200];
    if (schema === undefined || typeof schema === 'string') throw new Error(`GET ${path} declares no list`);
    const serialise = serialiser(schema);
    add({
      name: `serialise 100 ${name}`,
      ours: spread(times(() => serialise(items))),
      native: spread(times(() => JSON.stringify(items))),
      note: 'native: JSON.stringify, which checks nothing',
    });
  }
  const route = routeOf(routes, '/projects');
  const parameters = parametersOf(route);
  const query = 'membership=true&order_by=id&sort=asc&search=mill&simple=true&per_page=100&page=2&archived=false';
  add({
    name: 'read and validate 7 parameters',
    ours: spread(times(() => validateParameters(parameters, parseUrlEncoded(query), noJson))),
    native: spread(times(() => new URLSearchParams(query))),
    note: 'native: URLSearchParams, which checks nothing',
  });
}
