/** The lists of a repository that the hosted provider and those that answer in its shapes have in common. */
import { type Row, record, text } from '../project-archives/json.ts';
import type { ProviderClient } from './client.ts';
import { forkBranch, noteRow, numbered, numberIn, whole } from './hosted-rows.ts';
import type { ProviderRepository, RefName } from './provider.ts';

interface Shape {
  /** Sets the size of pages. */
  readonly size: string;
  /** In the names of branches that forks bring. */
  readonly product?: string;
  /** A request as the hosted provider would tell it. */
  told?(row: Row): Row;
}

const parts = [
  ['issues', 'has_issues'],
  ['requests', 'has_pull_requests'],
  ['releases', 'has_releases'],
] as const;

/** What all of them say of a repository. */
export const repositoryOf = (row: Row, id: number, source: string, cloneUrl: string): ProviderRepository => ({
  without: new Set(parts.flatMap(([part, flag]) => (row[flag] === false ? [part] : []))),
  id: String(row.id ?? id),
  name: text(row.name) ?? String(id),
  source,
  link: `/${source}`,
  description: text(row.description),
  private: row.private !== false,
  cloneUrl,
  defaultBranch: text(row.default_branch),
  hasWiki: row.has_wiki === true,
});

export function hostedLists(
  client: ProviderClient,
  repository: ProviderRepository,
  { size, product = 'github', told = (row) => row }: Shape,
) {
  const base = `/repos/${repository.source.split('/').map(encodeURIComponent).join('/')}`;
  const numbers = numbered();
  const { issues, requests } = numbers;
  const pages = (path: string) => client.pages(`${base}${path}${path.includes('?') ? '&' : '?'}${size}`);

  return {
    ...numbers,
    pages,
    /** The rows of a part of the repository; none where it is switched off. */
    async *unless(
      part: 'issues' | 'requests' | 'releases',
      rows: () => AsyncIterable<readonly { readonly relation: string; readonly row: Row }[]>,
    ) {
      if (!repository.without?.has(part)) yield* rows();
    },

    /** One object of the repository. */
    object: (path: string) => client.get(`${base}${path}`),

    async *mapped(path: string, relation: string, map: (row: Row) => Row | null) {
      for await (const page of pages(path))
        yield page.flatMap((each) => {
          const row = map(each);
          return row === null ? [] : [{ relation, row }];
        });
    },

    /** A comment on an issue or request that is known. */
    remark(row: Row): Row | null {
      const number = numberIn(row.pull_request_url) ?? numberIn(row.issue_url);
      if (number === null || !(requests.has(number) || issues.has(number))) return null;
      return noteRow(row, { [requests.has(number) ? 'merge_request' : 'issue']: number }, `comment:${whole(row.id)}`);
    },

    /** Heads of requests; open ones of forks as branches too. */
    async refs(path: string): Promise<RefName[]> {
      const found: RefName[] = [];
      if (repository.without?.has('requests')) return found;
      for await (const page of pages(path))
        for (const row of page.map(told)) {
          const number = whole(row.number);
          if (number === null) continue;
          const there = `refs/pull/${number}/head`;
          found.push({ there, here: `refs/merge-requests/${number}/head` });
          const own = String(record(record(row.head).repo).id ?? '') === repository.id;
          if (row.state === 'open' && !own) found.push({ there, here: `refs/heads/${forkBranch(row, product)}` });
        }
      return found;
    },
  };
}
