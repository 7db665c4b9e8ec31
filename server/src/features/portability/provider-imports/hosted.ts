/** The hosted provider's repositories: its REST API, version 3, as rows of our relations. */
import { type Row, text } from '../project-archives/json.ts';
import { nextLink, type ProviderClient, ProviderError, providerClient, serverAt } from './client.ts';
import { hostedLists, repositoryOf } from './hosted-lists.ts';
import {
  issueRow,
  labelRow,
  lineNoteRow,
  milestoneRow,
  numberIn,
  releaseRow,
  requestRow,
  roles,
} from './hosted-rows.ts';
import type { ProviderConfig, ProviderRepository, Source } from './provider.ts';

type Config = Extract<ProviderConfig, { provider: 'hosted' }>;

const publicApi = 'https://api.github.com';

/** Where the API is, for a host that somebody names; the public one without. */
export function apiOf(hostname: string | undefined): string | null {
  if (hostname === undefined || hostname.trim() === '') return publicApi;
  const at = serverAt(hostname.includes('://') ? hostname : `https://${hostname}`);
  return at && `${at.origin}${at.path.replace(/\/api\/v3$/, '')}/api/v3`;
}

export function hostedClient(
  options: Pick<Parameters<typeof providerClient>[0], 'outbound' | 'waits' | 'signal'>,
  { base, tokens }: Pick<Config, 'base' | 'tokens'>,
): ProviderClient {
  return providerClient({
    ...options,
    base,
    credentials: tokens.map((token) => `Bearer ${token}`),
    accept: 'application/vnd.github+json',
    next: ({ headers }) => nextLink(headers.link),
  });
}

export async function hostedRepository(client: ProviderClient, id: number): Promise<ProviderRepository> {
  const row = await client.get(`/repositories/${id}`);
  const [source, cloneUrl] = [text(row.full_name), text(row.clone_url)];
  if (source === null || cloneUrl === null || URL.parse(cloneUrl) === null)
    throw new ProviderError('unreachable', 'The server answered with something else than a repository');
  return repositoryOf(row, id, source, cloneUrl);
}

export async function hostedSource(client: ProviderClient, config: Config): Promise<Source> {
  const repository = await hostedRepository(client, config.repositoryId);
  const { issues, requests, known, issue, request, mapped, remark, refs } = hostedLists(client, repository, {
    size: 'per_page=100',
  });
  const review = (row: Row): Row | null => {
    const number = numberIn(row.pull_request_url);
    const about = number === null ? undefined : requests.get(number);
    return number !== null && about ? lineNoteRow(row, number, about) : null;
  };
  async function* comments() {
    if (!config.stages.single_endpoint_notes_import) {
      yield* mapped('/issues/comments?sort=created&direction=asc', 'notes', remark);
      yield* mapped('/pulls/comments?sort=created&direction=asc', 'notes', review);
      return;
    }
    // Slower, and without the limit that long lists have there.
    for (const number of issues) yield* mapped(`/issues/${number}/comments`, 'notes', remark);
    for (const number of requests.keys()) {
      yield* mapped(`/issues/${number}/comments`, 'notes', remark);
      yield* mapped(`/pulls/${number}/comments`, 'notes', review);
    }
  }

  return {
    repository,
    known,
    git: { username: 'x-access-token', password: config.tokens[0] ?? '' },
    refs: () => refs('/pulls?state=all&sort=created&direction=asc'),
    stages: [
      { name: 'labels', rows: () => mapped('/labels', 'labels', labelRow) },
      { name: 'milestones', rows: () => mapped('/milestones?state=all', 'milestones', milestoneRow) },
      {
        name: 'members',
        rows: () =>
          config.stages.collaborators_import
            ? mapped('/collaborators?affiliation=direct', 'members', (row) => ({
                username: row.login,
                access_level: roles[text(row.role_name) ?? ''] ?? 10,
              }))
            : none(),
      },
      { name: 'releases', rows: () => mapped('/releases', 'releases', releaseRow) },
      {
        name: 'issues',
        // Requests are in the list as well.
        rows: () =>
          mapped('/issues?state=all&sort=created&direction=asc', 'issues', (each) =>
            each.pull_request ? null : issue(issueRow(each)),
          ),
      },
      {
        name: 'merge_requests',
        rows: () =>
          mapped('/pulls?state=all&sort=created&direction=asc', 'merge_requests', (each) =>
            request(requestRow(each, repository.id)),
          ),
      },
      { name: 'notes', rows: comments },
    ],
  };
}

async function* none(): AsyncGenerator<never[]> {
  yield [];
}
