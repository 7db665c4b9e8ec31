/** Repositories of Gitea and Forgejo: their REST API, version 1, which answers mostly in the shapes of the hosted provider. */
import { type Row, record, text } from '../project-archives/json.ts';
import { nextHere, type ProviderClient, ProviderError, providerClient, serverAt } from './client.ts';
import { hostedLists, repositoryOf } from './hosted-lists.ts';
import {
  issueRow,
  labelRow,
  lineNoteRow,
  milestoneRow,
  releaseRow,
  requestRow,
  reviewRow,
  whole,
} from './hosted-rows.ts';
import type { ProviderConfig, ProviderRepository, Source } from './provider.ts';

type Config = Extract<ProviderConfig, { provider: 'gitea' }>;

/** Where its API is; null for what is no address. */
export function giteaApiOf(address: string): string | null {
  const at = serverAt(address);
  return at && `${at.origin}${at.path.replace(/\/api\/v1$/, '')}/api/v1`;
}

export function giteaClient(
  options: Pick<Parameters<typeof providerClient>[0], 'outbound' | 'waits' | 'signal'>,
  { base, token }: Pick<Config, 'base' | 'token'>,
): ProviderClient {
  return providerClient({
    ...options,
    base,
    credentials: [`token ${token}`],
    accept: 'application/json',
    next: nextHere,
  });
}

export async function giteaRepository(client: ProviderClient, config: Config): Promise<ProviderRepository> {
  const row = await client.get(`/repositories/${config.repositoryId}`);
  const source = text(row.full_name);
  if (source === null)
    throw new ProviderError('unreachable', 'The server answered with something else than a repository');
  // Where it believes to be elsewhere, the address of the API is the one that can be reached.
  const told = URL.parse(text(row.clone_url) ?? '');
  const near = told?.hostname === new URL(config.base).hostname;
  const cloneUrl = near ? told.href : `${config.base.replace(/\/api\/v1$/, '')}/${source}.git`;
  return repositoryOf(row, config.repositoryId, source, cloneUrl);
}

/** A request as the hosted provider would tell it. */
function told(row: Row): Row {
  const head = record(row.head);
  const repo = record(head.repo);
  return { ...row, head: { ...head, user: repo.owner, repo: { ...repo, id: repo.id ?? head.repo_id } } };
}

export async function giteaSource(client: ProviderClient, config: Config): Promise<Source> {
  const repository = await giteaRepository(client, config);
  const lists = hostedLists(client, repository, {
    size: 'limit=50',
    product: 'gitea',
    told,
  });
  const { issues, requests, known, issue, request, pages, mapped, remark, refs, unless } = lists;

  /** What reviews of a request say as a whole, and on lines. */
  async function* reviews(number: number, about: Row) {
    /** Comments on one line are one conversation. */
    const first = new Map<string, unknown>();
    for await (const page of pages(`/pulls/${number}/reviews`))
      for (const review of page) {
        const said = reviewRow(review, number);
        if (said) yield [{ relation: 'notes', row: said }];
        if (whole(review.comments_count) === 0) continue;
        const lines = mapped(`/pulls/${number}/reviews/${whole(review.id)}/comments`, 'notes', (row) => {
          const line = whole(row.position) || whole(row.original_position);
          const place = `${text(row.path)}:${whole(row.position)}:${whole(row.original_position)}`;
          const answers = first.get(place);
          if (answers === undefined) first.set(place, row.id);
          return lineNoteRow({ ...row, line, in_reply_to_id: answers }, number, about);
        });
        yield* lines;
      }
  }

  return {
    repository,
    known,
    git: { username: 'oauth2', password: config.token },
    refs: () => refs('/pulls?state=all&sort=oldest'),
    wiki: repository.hasWiki,
    stages: [
      { name: 'labels', rows: () => mapped('/labels', 'labels', labelRow) },
      {
        name: 'milestones',
        // They have no numbers of their own there.
        rows: () => {
          let number = 0;
          return mapped('/milestones?state=all', 'milestones', (row) => {
            number += 1;
            return milestoneRow({ ...row, number });
          });
        },
      },
      { name: 'releases', rows: () => unless('releases', () => mapped('/releases', 'releases', releaseRow)) },
      {
        name: 'issues',
        rows: () =>
          unless('issues', () =>
            mapped('/issues?state=all&type=issues', 'issues', (row) =>
              row.pull_request ? null : issue(issueRow({ ...row, locked: row.is_locked })),
            ),
          ),
      },
      {
        name: 'merge_requests',
        rows: () =>
          unless('requests', () =>
            mapped('/pulls?state=all&sort=oldest', 'merge_requests', (row) =>
              request(requestRow(told(row), repository.id, 'gitea')),
            ),
          ),
      },
      {
        name: 'notes',
        rows: async function* () {
          if (issues.size + requests.size > 0) yield* mapped('/issues/comments', 'notes', remark);
          for (const [number, about] of requests) yield* reviews(number, about);
        },
      },
    ],
  };
}
