/** Code search in very many repositories: `npm run bench -- --only code --seeded DIR`. */
import { numbers } from '../../../scripts/lib/numbers.ts';
import { quantile, send } from '../load.ts';
import { processorTime, startInstance, token } from '../process.ts';
import { below, type Row } from '../report.ts';
import { type CodeSizes, type Filled, fillWithCode } from '../seed/code.ts';
import { connect } from '../target.ts';

interface Where extends CodeSizes {
  readonly directory: string;
  readonly rounds: number;
  /** Only rows with this in their name. */
  readonly match: string;
  add(row: Row): void;
}

const words = 'function return import const error string length value index class public static self printf'.split(' ');

/** What is looked for, another each time. */
function searches({ lines }: Filled): Record<string, (at: number) => string> {
  const line = (at: number) => lines[(at * 7919) % lines.length] ?? '';
  const part = (at: number) => {
    const begin = numbers(at)(Math.max(1, line(at).length - 10));
    return line(at)
      .slice(begin, begin + 10)
      .trim();
  };
  const name = (at: number) => {
    for (let next = at; ; next++) {
      const found = line(next).match(/[A-Za-z_][A-Za-z0-9_]{7,}/g);
      if (found) return found[at % found.length] ?? '';
    }
  };
  return {
    'a name': name,
    'a line': line,
    'ten letters of a line': (at) => part(at) || name(at),
    'a frequent word': (at) => words[at % words.length] ?? '',
    'a frequent word in files of one language': (at) =>
      `${words[at % words.length]} extension:${['py', 'go', 'h', 'js'][at % 4]}`,
    'a name below a folder': (at) => `${name(at)} path:src`,
    nothing: (at) => `zq${(at * 2_654_435_761).toString(36)}xj`,
    'regular expression': (at) => `${name(at)}\\s*\\(`,
    'a name in one project': name,
    'regular expression in one project': (at) => `${words[at % words.length]}\\s*\\(`,
  };
}

export async function code(where: Where): Promise<void> {
  const instance = await startInstance(where.directory);
  try {
    const target = connect('ours', instance.url, token);
    const filled = await fillWithCode(target, where.directory, where);
    const share = filled.grown / filled.bytes;
    where.add({
      name: `code index of ${filled.repositories} repositories, ${filled.files} files`,
      ours: { megabytes: filled.grown / 1e6 },
      goal: { text: '< 1.5 x the text', met: share < 1.5 },
      note: `${share.toFixed(2)} x ${(filled.bytes / 1e6).toFixed(0)} MB of text; ${filled.seconds.toFixed(0)} s to push and index`,
    });
    const stamp = Date.now().toString(36);
    const person = await target.call<{ id: number }>('POST', '/users', {
      username: `reader-${stamp}`,
      name: 'Reader',
      email: `reader-${stamp}@example.com`,
      password: `pass-${stamp}-word`,
      skip_confirmation: true,
    });
    const own = await target.call<{ token: string }>('POST', `/users/${person.id}/personal_access_tokens`, {
      name: 'bench',
      scopes: ['read_api'],
    });
    const projects = await target.call<{ id: number }[]>('GET', '/projects?per_page=100&order_by=id&sort=asc');
    const base = new URL(target.url);
    const all = new Map<string, number[]>();
    for (const [kind, term] of Object.entries(searches(filled))) {
      if (!kind.includes(where.match)) continue;
      const pathOf = (at: number) => {
        const below = kind.endsWith('one project') ? `/projects/${projects[at % projects.length]?.id}` : '';
        const regex = kind.startsWith('regular expression') ? '&regex=true' : '';
        return `/api/v4${below}/search?scope=blobs&search=${encodeURIComponent(term(at))}${regex}`;
      };
      for (const [who, as, connections] of [
        ['administrator', token, 1],
        ['person', own.token, 1],
        ['person', own.token, 16],
      ] as const) {
        const times: number[] = [];
        let given = 0;
        let next = 0;
        let slowest = { time: 0, search: '' };
        const lane = async () => {
          while (next < where.rounds) {
            const round = next++;
            const begin = performance.now();
            const { status, body } = await send(base, as, { path: pathOf(round) });
            const time = performance.now() - begin;
            // A search that is given up counts with the time that it took.
            if (status === 503) given++;
            else if (status !== 200) throw new Error(`${term(round)}: ${status} ${body.toString().slice(0, 300)}`);
            if (time > slowest.time) slowest = { time, search: term(round) };
            times.push(time);
          }
        };
        const before = processorTime(instance.pid);
        await Promise.all(Array.from({ length: connections }, lane));
        const processor = (processorTime(instance.pid) - before) / where.rounds;
        const name = connections === 1 ? who : `${who}, ${connections} at once`;
        all.set(name, [...(all.get(name) ?? []), ...times]);
        const figure = { p50: quantile(times, 0.5), p95: quantile(times, 0.95), p99: quantile(times, 0.99) };
        where.add({
          name: `code search of ${kind}, ${name}`,
          ours: figure,
          goal: below(300, 'p95', figure),
          note: `${processor.toFixed(0)} ms of processor time each; ${given} given up; slowest: ${JSON.stringify(slowest.search)}`,
        });
      }
    }
    for (const [name, times] of all) {
      const figure = { p50: quantile(times, 0.5), p95: quantile(times, 0.95), p99: quantile(times, 0.99) };
      where.add({ name: `code search, all kinds, ${name}`, ours: figure, goal: below(300, 'p95', figure) });
    }
  } finally {
    await instance.stop();
  }
}
