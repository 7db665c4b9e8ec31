/** The hosted provider's repositories: its REST API, version 3, as rows of our relations. */
import { Level } from '../../../kernel/authz/levels.ts';
import { type Row, record, text } from '../project-archives/json.ts';
import type { AttachmentSource } from './attachments.ts';
import { nextLink, type ProviderClient, ProviderError, providerClient, serverAt } from './client.ts';
import { hostedLists, repositoryOf } from './hosted-lists.ts';
import { hostedProtections } from './hosted-protections.ts';
import {
  approvalRow,
  historyOf,
  issueRow,
  labelRow,
  lineNoteRow,
  milestoneRow,
  numberIn,
  releaseRow,
  requestRow,
  reviewRow,
  roles,
} from './hosted-rows.ts';
import type { Part, PartTarget, ProviderConfig, ProviderRepository, Source } from './provider.ts';

type Config = Extract<ProviderConfig, { provider: 'hosted' }>;

const [publicApi, publicPages] = ['https://api.github.com', 'https://github.com'];

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

/** States of reviews that the next such one of the same person replaces. */
const decided: ReadonlySet<string> = new Set(['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED']);

export async function hostedSource(
  client: ProviderClient,
  config: Config,
  attached: (place: Pick<AttachmentSource, 'origin' | 'repository' | 'token'>, to: PartTarget) => Part,
): Promise<Source> {
  const repository = await hostedRepository(client, config.repositoryId);
  const { issues, requests, known, issue, request, pages, object, mapped, remark, refs, unless } = hostedLists(
    client,
    repository,
    {
      size: `per_page=${config.pageSize ?? 100}`,
    },
  );
  const { origin } = config.base === publicApi ? { origin: publicPages } : new URL(config.base);
  const attachments = (to: PartTarget) =>
    attached({ origin, repository: repository.source, token: config.tokens[0] ?? '' }, to);
  const review = (row: Row): Row | null => {
    const number = numberIn(row.pull_request_url);
    const about = number === null ? undefined : requests.get(number);
    return number !== null && about ? lineNoteRow(row, number, about) : null;
  };
  async function* comments() {
    // Comments on requests are among those on issues, where there are any.
    if (!config.stages.single_endpoint_notes_import && !repository.without?.has('issues')) {
      yield* mapped('/issues/comments?sort=created&direction=asc', 'notes', remark);
      yield* unless('requests', () => mapped('/pulls/comments?sort=created&direction=asc', 'notes', review));
      return;
    }
    // Slower, and without the limit that long lists have there.
    for (const number of issues) yield* mapped(`/issues/${number}/comments`, 'notes', remark);
    for (const number of requests.keys()) {
      yield* mapped(`/issues/${number}/comments`, 'notes', remark);
      yield* mapped(`/pulls/${number}/comments`, 'notes', review);
    }
  }

  type Batch = readonly { readonly relation: string; readonly row: Row }[];
  /** What happened to each, where that was asked for: one request more for each of them. */
  async function* withHistory(batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
    for await (const batch of batches) {
      const told: { relation: string; row: Row }[] = [];
      for (const { relation, row } of batch) {
        const events: Row[] = [];
        if (config.stages.single_endpoint_issue_events_import)
          for await (const page of pages(`/issues/${String(row.iid)}/events`)) events.push(...page);
        const history = historyOf(events);
        told.push({ relation, row: history ? { ...row, history } : row });
      }
      yield told;
    }
  }

  /** Decisions of reviews by request and person; those of an attempt before this one are asked for again. */
  const decisions = new Map<number, readonly Row[]>();
  async function* reviews() {
    for (const number of requests.keys()) {
      const last = new Map<string, Row>();
      for await (const page of pages(`/pulls/${number}/reviews`)) {
        for (const row of page) if (decided.has(String(row.state))) last.set(String(record(row.user).login), row);
        yield page.flatMap((row) => {
          const said = reviewRow(row, number);
          return said ? [{ relation: 'notes', row: said }] : [];
        });
      }
      const approved = [...last.values()].map((row) => approvalRow(row, number)).filter((row) => row !== null);
      decisions.set(number, approved);
    }
  }
  async function* approvals() {
    // Whoever goes on behind the comments has not seen the reviews.
    if (decisions.size === 0) for await (const _ of reviews());
    for (const rows of decisions.values()) yield rows.map((row) => ({ relation: 'approvals', row }));
  }
  let read: ReturnType<typeof hostedProtections> | undefined;
  const protections = () => {
    read ??= hostedProtections({ pages, object }, repository);
    return read;
  };
  async function* protectedRefs(relation: 'protected_branches' | 'protected_tags', of: 'branches' | 'tags') {
    yield (await protections())[of].map((row) => ({ relation, row }));
  }
  async function* collaborators() {
    if (!config.stages.collaborators_import) return;
    const outside = new Set<unknown>();
    for await (const page of pages('/collaborators?affiliation=outside'))
      for (const row of page) outside.add(row.login);
    yield* mapped('/collaborators?affiliation=direct', 'members', (row) =>
      outside.has(row.login)
        ? null
        : { username: row.login, access_level: roles[text(row.role_name) ?? ''] ?? Level.guest },
    );
  }

  return {
    repository,
    known,
    git: { username: 'x-access-token', password: config.tokens[0] ?? '' },
    refs: () => refs('/pulls?state=all&sort=created&direction=asc'),
    stages: [
      { name: 'labels', rows: () => mapped('/labels', 'labels', labelRow) },
      { name: 'milestones', rows: () => mapped('/milestones?state=all', 'milestones', milestoneRow) },
      { name: 'members', rows: collaborators },
      { name: 'protected_branches', rows: () => protectedRefs('protected_branches', 'branches') },
      { name: 'protected_tags', rows: () => protectedRefs('protected_tags', 'tags') },
      { name: 'releases', rows: () => unless('releases', () => mapped('/releases', 'releases', releaseRow)) },
      {
        name: 'issues',
        // Requests are in the list as well.
        rows: () =>
          unless('issues', () =>
            withHistory(
              mapped('/issues?state=all&sort=created&direction=asc', 'issues', (each) =>
                each.pull_request ? null : issue(issueRow(each)),
              ),
            ),
          ),
      },
      {
        name: 'merge_requests',
        rows: () =>
          unless('requests', () =>
            withHistory(
              mapped('/pulls?state=all&sort=created&direction=asc', 'merge_requests', (each) =>
                request(requestRow(each, repository.id)),
              ),
            ),
          ),
      },
      {
        name: 'notes',
        rows: async function* () {
          yield* comments();
          yield* reviews();
        },
      },
      { name: 'approvals', rows: approvals },
    ],
    requirements: async () => (await protections()).requirements,
    wiki: repository.hasWiki,
    parts: (to) => (config.stages.attachments_import ? [attachments(to)] : []),
  };
}
