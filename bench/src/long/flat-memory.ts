/** Memory over very many requests: what a mix of every kind of answer leaves behind must not grow with their number. */
import { Agent } from 'node:http';
import { type Ask, send } from '../load.ts';
import { memoryOfTree, startInstance, token } from '../process.ts';
import { connect, createProject } from '../target.ts';

export interface FlatMemory {
  readonly requests: number;
  readonly seconds: number;
  readonly byStatus: ReadonlyMap<number, number>;
  /** Megabytes of the server process (PSS), sampled at equal distances after the warm-up. */
  readonly samples: readonly number[];
  /** Median of the last third over the median of the first third. */
  readonly growth: number;
  readonly failures: readonly string[];
}

const connections = 8;
/** The share of requests before the first sample: code is compiled, pools and caches fill. */
const warmUp = 0.1;
const sampled = 30;
const tolerated = 1.15;

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Every kind of answer: trivial, lists, pages, one object, bad parameters, unknown, refused, writes. */
function mix(project: { id: number; api: string }): (index: number) => Ask & { token: string } {
  const api = `/api/v4${project.api}`;
  const own = (path: string, method = 'GET', body?: unknown) => ({
    path,
    method,
    token,
    ...(body === undefined ? {} : { body }),
  });
  const kinds: readonly ((index: number) => Ask & { token: string })[] = [
    () => own('/api/v4/version'),
    () => own('/api/v4/user'),
    () => own(api),
    (index) => own(`/api/v4/projects?per_page=${1 + (index % 100)}&search=${index % 977}`),
    (index) => own(`/api/v4/users?search=${index}`),
    (index) => own(`${api}/repository/branches?search=${index % 1000}`),
    (index) => own(`${api}/repository/tree?ref=main&path=d${index % 1000}`),
    (index) => own(`${api}/jobs?scope[]=${index % 2 ? 'success' : 'failed'}`),
    (index) => own(`/api/v4/projects?order_by=${index}`),
    (index) => own(`/api/v4/projects/${1_000_000 + index}`),
    (index) => ({ path: `${api}?x=${index}`, token: '' }),
    (index) => ({ path: '/api/v4/user', token: `glpat-${String(index).padStart(20, '0')}` }),
    (index) => own(`/api/v4/absent/${index}`),
    (index) =>
      index % 51 === 12
        ? own(`${api}/variables`, 'POST', { key: `K${index}`, value: 'v' })
        : own(`${api}/variables?page=${1 + (index % 9)}`),
  ];
  return (index) => {
    const kind = kinds[index % kinds.length];
    if (!kind) throw new Error('no kind');
    return kind(index);
  };
}

export async function flatMemory(
  directory: string,
  requests: number,
  say: (line: string) => void,
): Promise<FlatMemory> {
  const instance = await startInstance(directory);
  const failures: string[] = [];
  const byStatus = new Map<number, number>();
  const samples: number[] = [];
  const begin = performance.now();
  try {
    const target = connect('ours', instance.url, token);
    const project = await createProject(target, 'memory');
    await target.call('POST', `${project.api}/repository/commits`, {
      branch: 'main',
      commit_message: 'First',
      actions: [{ action: 'create', file_path: 'README.md', content: 'x' }],
    });
    const askOf = mix(project);
    const base = new URL(instance.url);
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const first = Math.floor(requests * warmUp);
    const every = Math.max(1, Math.floor((requests - first) / sampled));
    let next = 0;
    const sample = (done: number) => {
      const server = memoryOfTree(instance.pid).find((share) => share.pid === instance.pid);
      samples.push(server?.megabytes ?? Number.NaN);
      say(`${done.toLocaleString('en')} requests: server ${samples.at(-1)?.toFixed(0)} MB`);
    };
    const lane = async () => {
      while (next < requests) {
        const index = next++;
        const { token: secret, ...ask } = askOf(index);
        const { status } = await send(base, secret, ask, agent);
        byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
        if (status >= 500 && failures.length < 10) failures.push(`${ask.method ?? 'GET'} ${ask.path}: ${status}`);
        if (index >= first && (index - first) % every === 0) sample(index);
      }
    };
    await Promise.all(Array.from({ length: connections }, lane));
    agent.destroy();
  } finally {
    await instance.stop();
  }
  const third = Math.floor(samples.length / 3);
  const growth = median(samples.slice(-third)) / median(samples.slice(0, third));
  if (!(growth <= tolerated)) failures.push(`memory grew to ${growth.toFixed(2)} x`);
  return { requests, seconds: (performance.now() - begin) / 1000, byStatus, samples, growth, failures };
}

/** The result in sentences, for the report. */
export function flatMemoryLines(result: FlatMemory): string[] {
  const statuses = [...result.byStatus].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  return [
    `${result.requests.toLocaleString('en')} requests in ${result.seconds.toFixed(0)} s over ${connections} connections; ${statuses.join(', ')}`,
    `server process (PSS, MB): ${result.samples.map((value) => value.toFixed(0)).join(' ')}`,
    `last third against first third: ${result.growth.toFixed(2)} x (tolerated ${tolerated} x)`,
    ...(result.failures.length > 0 ? result.failures.map((failure) => `FAILED: ${failure}`) : ['no failure']),
  ];
}
