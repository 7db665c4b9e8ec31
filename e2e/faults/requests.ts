/** Memory over very many requests: what a mix of every kind of answer leaves behind must not grow with their number. */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { rootToken } from '../src/support/instance.ts';
import type { Suite } from '../src/support/suite.ts';
import { commit, createFile, createProject, type Member, startCluster } from './cluster.ts';
import { memoryOf } from './machine.ts';

interface Ask {
  readonly path: string;
  readonly method?: string;
  readonly token: string;
  readonly body?: unknown;
}

const connections = 8;
/** The share of requests before the first sample: code is compiled, pools and caches fill. */
const warmUp = 0.1;
const sampled = 30;
const tolerated = 1.15;

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Every kind of answer: trivial, lists, pages, one object, bad parameters, unknown, refused, writes. */
function mix(project: string): (index: number) => Ask {
  const at = `/api/v4${project}`;
  const own = (path: string, method = 'GET', body?: unknown): Ask => ({
    path,
    method,
    token: rootToken,
    ...(body === undefined ? {} : { body }),
  });
  const kinds: readonly ((index: number) => Ask)[] = [
    () => own('/api/v4/version'),
    () => own('/api/v4/user'),
    () => own(at),
    (index) => own(`/api/v4/projects?per_page=${1 + (index % 100)}&search=${index % 977}`),
    (index) => own(`/api/v4/users?search=${index}`),
    (index) => own(`${at}/repository/branches?search=${index % 1000}`),
    (index) => own(`${at}/repository/tree?ref=main&path=d${index % 1000}`),
    (index) => own(`${at}/jobs?scope[]=${index % 2 ? 'success' : 'failed'}`),
    (index) => own(`/api/v4/projects?order_by=${index}`),
    (index) => own(`/api/v4/projects/${1_000_000 + index}`),
    (index) => ({ path: `${at}?x=${index}`, token: '' }),
    (index) => ({ path: '/api/v4/user', token: `glpat-${String(index).padStart(20, '0')}` }),
    (index) => own(`/api/v4/absent/${index}`),
    (index) =>
      index % 51 === 12
        ? own(`${at}/variables`, 'POST', { key: `K${index}`, value: 'v' })
        : own(`${at}/variables?page=${1 + (index % 9)}`),
  ];
  return (index) => (kinds[index % kinds.length] ?? (() => own('/api/v4/version')))(index);
}

function statusOf(base: URL, ask: Ask, agent: Agent): Promise<number> {
  const payload = ask.body === undefined ? undefined : Buffer.from(JSON.stringify(ask.body));
  const headers = {
    ...(ask.token ? { 'PRIVATE-TOKEN': ask.token } : {}),
    ...(payload ? { 'Content-Type': 'application/json', 'Content-Length': payload.length } : {}),
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: base.hostname, port: base.port, method: ask.method ?? 'GET', path: ask.path, agent, headers },
      (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
        response.once('error', reject);
      },
    );
    sent.once('error', reject);
    sent.end(payload);
  });
}

export async function manyRequests(
  suite: Suite,
  directory: string,
  requests: number,
  say: (line: string) => void,
): Promise<void> {
  const cluster = await startCluster(directory, 1);
  const [member] = cluster.members as [Member];
  try {
    const project = await createProject(member, 'memory');
    await commit(member, project, 'main', [createFile('README.md')]);
    await suite.step(
      `faults: memory does not grow over ${requests.toLocaleString('en')} requests`,
      async () => {
        const askOf = mix(project.path);
        const base = new URL(member.instance.url);
        const agent = new Agent({ keepAlive: true, maxSockets: connections });
        const first = Math.floor(requests * warmUp);
        const every = Math.max(1, Math.floor((requests - first) / sampled));
        const samples: number[] = [];
        const faults: string[] = [];
        let next = 0;
        const lane = async () => {
          while (next < requests) {
            const index = next++;
            const ask = askOf(index);
            const status = await statusOf(base, ask, agent);
            if (status >= 500 && faults.length < 10) faults.push(`${ask.method ?? 'GET'} ${ask.path}: ${status}`);
            if (index >= first && (index - first) % every === 0) samples.push(memoryOf(member.instance.pid));
          }
        };
        await Promise.all(Array.from({ length: connections }, lane));
        agent.destroy();
        const third = Math.floor(samples.length / 3);
        const growth = median(samples.slice(-third)) / median(samples.slice(0, third));
        say(`server process over ${requests} requests, MB: ${samples.map((value) => value.toFixed(0)).join(' ')}`);
        assert.deepEqual(faults, []);
        assert.ok(growth <= tolerated, `memory grew to ${growth.toFixed(2)} x`);
      },
      7200,
    );
  } finally {
    await cluster.stop();
  }
}
