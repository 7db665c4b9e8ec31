/** Repositories of the self-hosted server product: its REST API, version 1.0, as rows of our relations. */
import { createHash } from 'node:crypto';
import { type Row, record, text } from '../project-archives/json.ts';
import { type ProviderClient, ProviderError, providerClient, serverAt } from './client.ts';
import { lastLineOf } from './hunks.ts';
import type { ProviderConfig, ProviderRepository, RefName, Source } from './provider.ts';

type Config = Extract<ProviderConfig, { provider: 'server' }>;

/** Where its API is; null for what is no address. */
export function serverApiOf(address: string): string | null {
  const at = serverAt(address);
  return at && `${at.origin}${at.path}/rest/api/1.0`;
}

const whole = (value: unknown): number | null => (typeof value === 'number' && Number.isInteger(value) ? value : null);
const list = (value: unknown): Row[] => (Array.isArray(value) ? value.map(record) : []);
const sha = (value: unknown): string | null => (/^[0-9a-f]{40}$/.test(String(value)) ? String(value) : null);
/** Milliseconds since 1970 as a time. */
const time = (value: unknown): string | null =>
  typeof value === 'number' && Math.abs(value) < 8.64e15 ? new Date(value).toISOString() : null;
const person = (value: unknown): string | null => text(record(value).slug) ?? text(record(value).name);

export function serverClient(
  options: Pick<Parameters<typeof providerClient>[0], 'outbound' | 'waits' | 'signal'>,
  { base, username, token }: Pick<Config, 'base' | 'username' | 'token'>,
): ProviderClient {
  return providerClient({
    ...options,
    base,
    credentials: [`Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`],
    accept: 'application/json',
    next: ({ body, url }) => {
      const { isLastPage, nextPageStart } = record(body);
      if (isLastPage !== false || whole(nextPageStart) === null) return null;
      const next = new URL(url);
      next.searchParams.set('start', String(nextPageStart));
      return next.href;
    },
    rows: (body) => list(record(body).values),
  });
}

const pathOf = ({ project, repository }: Pick<Config, 'project' | 'repository'>) =>
  `/projects/${encodeURIComponent(project)}/repos/${encodeURIComponent(repository)}`;

export async function serverRepository(client: ProviderClient, config: Config): Promise<ProviderRepository> {
  const row = await client.get(pathOf(config));
  const clone = list(record(row.links).clone).find(
    ({ name, href }) => name === 'http' || /^https?:/.test(String(href)),
  );
  const key = text(record(row.project).key) ?? config.project;
  const slug = text(row.slug) ?? config.repository;
  const cloneUrl = text(record(clone).href);
  if (cloneUrl === null) throw new ProviderError('missing', 'The repository cannot be cloned over HTTP');
  // A username in the address is that of whoever asked.
  const plain = URL.parse(cloneUrl);
  if (plain) [plain.username, plain.password] = ['', ''];
  return {
    id: String(row.id ?? ''),
    name: text(row.name) ?? slug,
    source: `${key}/${slug}`,
    link: `/projects/${key}/repos/${slug}`,
    description: text(row.description),
    private: row.public !== true,
    cloneUrl: plain?.href ?? cloneUrl,
    defaultBranch: null,
  };
}

function requestRow(row: Row): Row {
  const [from, to] = [record(row.fromRef), record(row.toRef)];
  const state = row.state === 'MERGED' ? 'merged' : row.state === 'OPEN' ? 'opened' : 'closed';
  const ids = { head_sha: sha(from.latestCommit), base_sha: sha(to.latestCommit), start_sha: sha(to.latestCommit) };
  const created = time(row.createdDate);
  const closed = time(row.closedDate ?? row.updatedDate);
  return {
    iid: row.id,
    source_branch: from.displayId,
    target_branch: to.displayId,
    title: (text(row.title)?.trim() || 'Untitled').slice(0, 255),
    description: text(row.description),
    state,
    own_source: record(from.repository).id === record(to.repository).id,
    ...ids,
    squash: false,
    merge_commit_sha: sha(record(record(row.properties).mergeCommit).id),
    merged_at: state === 'merged' ? closed : null,
    closed_at: state === 'closed' ? closed : null,
    created_at: created,
    updated_at: time(row.updatedDate) ?? created,
    author: person(record(row.author).user),
    assignees: [],
    reviewers: list(row.reviewers).flatMap(({ user }) => person(user) ?? []),
    versions: ids.head_sha && ids.base_sha ? [{ ...ids, created_at: created }] : [],
  };
}

/** The piece of a diff that ends with the line of a comment; empty where the activity has none. */
function pieceOf(activity: Row): string {
  const { line, lineType, fileType } = record(activity.commentAnchor);
  for (const hunk of list(record(activity.diff).hunks)) {
    let [before, after] = [whole(hunk.sourceLine) ?? 0, whole(hunk.destinationLine) ?? 0];
    const lines = [`@@ -${before},${whole(hunk.sourceSpan) ?? 0} +${after},${whole(hunk.destinationSpan) ?? 0} @@`];
    for (const segment of list(hunk.segments)) {
      const sign = segment.type === 'ADDED' ? '+' : segment.type === 'REMOVED' ? '-' : ' ';
      const old = sign === '-' || (sign === ' ' && fileType === 'FROM');
      for (const each of list(segment.lines)) {
        lines.push(`${sign}${text(each.line) ?? ''}`);
        if (segment.type === lineType && (old ? before : after) === line) return lines.join('\n');
        if (sign !== '+') before += 1;
        if (sign !== '-') after += 1;
      }
    }
  }
  return '';
}

/** Where the notes of a thread stand, and what its first one begins with. */
interface Place {
  readonly lead: string;
  readonly columns: Row;
}

/** On the diff where that is the one of the request; else in words, with the piece of code that it was about. */
function placeOf(activity: Row, request: Row): Place {
  const anchor = record(activity.commentAnchor);
  const path = text(anchor.path);
  const columns = { kind: 'discussion' };
  if (path === null) return { lead: '', columns };
  const piece = pieceOf(activity);
  const found = lastLineOf(piece, path);
  const [head, base] = [sha(request.head_sha), sha(request.base_sha)];
  if (found && head !== null && base !== null && anchor.toHash === head && anchor.orphaned !== true) {
    const { line_code, old_line, new_line } = found;
    const ids = { base_sha: base, start_sha: base, head_sha: head };
    const files = { old_path: text(anchor.srcPath) ?? path, new_path: path };
    return {
      lead: '',
      columns: { kind: 'diff', position: { ...ids, ...files, position_type: 'text', old_line, new_line }, line_code },
    };
  }
  const line = whole(anchor.line);
  const where = `*On \`${path}\`${line === null ? '' : `, line ${line}`}*\n\n`;
  return { lead: `${where}${piece === '' ? '' : `\`\`\`diff\n${piece}\n\`\`\`\n\n`}`, columns };
}

/** A comment and the answers to it, as notes of one thread. */
function notesOf(comment: Row, number: number, thread: string, { lead, columns }: Place): Row[] {
  const created = time(comment.createdDate);
  const note = {
    merge_request: number,
    discussion_id: createHash('sha1').update(thread).digest('hex'),
    author: person(comment.author),
    body: `${lead}${text(comment.text) ?? ''}`,
    system: false,
    internal: false,
    resolvable: true,
    created_at: created,
    updated_at: time(comment.updatedDate) ?? created,
    ...columns,
  };
  return [note, ...list(comment.comments).flatMap((each) => notesOf(each, number, thread, { lead: '', columns }))];
}

export async function serverSource(client: ProviderClient, config: Config): Promise<Source> {
  const repository = await serverRepository(client, config);
  const base = pathOf(config);
  const all = `${base}/pull-requests?state=ALL&order=OLDEST&limit=100`;
  const requestRows = new Map<number, Row>();

  async function* requests() {
    for await (const page of client.pages(all))
      yield page.map((each) => {
        const [number, row] = [whole(each.id), requestRow(each)];
        if (number !== null) requestRows.set(number, row);
        return { relation: 'merge_requests', row };
      });
  }
  /** Approvals hold for the commit that was reviewed. */
  async function* approvals() {
    for await (const page of client.pages(all))
      yield page.flatMap((request) =>
        list(request.reviewers).flatMap(({ user, approved, lastReviewedCommit }) => {
          const head = sha(lastReviewedCommit) ?? sha(record(request.fromRef).latestCommit);
          const username = person(user);
          if (approved !== true || head === null || username === null) return [];
          const row = { merge_request: request.id, username, head_sha: head, patch_id: head };
          return [{ relation: 'approvals', row: { ...row, created_at: time(request.updatedDate) } }];
        }),
      );
  }
  async function* comments() {
    for (const [number, request] of requestRows)
      for await (const page of client.pages(`${base}/pull-requests/${number}/activities?limit=100`))
        yield page.flatMap((activity) => {
          if (activity.action !== 'COMMENTED') return [];
          const comment = record(activity.comment);
          const thread = `${base}:${number}:${whole(comment.id)}`;
          return notesOf(comment, number, thread, placeOf(activity, request)).map((row) => ({
            relation: 'notes',
            row,
          }));
        });
  }

  return {
    repository,
    known: ({ requests: before }) => {
      for (const row of before) requestRows.set(row.iid, { ...row });
    },
    git: { username: config.username, password: config.token },
    async refs() {
      const found: RefName[] = [];
      for await (const page of client.pages(all))
        for (const { id } of page) {
          const number = whole(id);
          if (number !== null)
            found.push({ there: `refs/pull-requests/${number}/from`, here: `refs/merge-requests/${number}/head` });
        }
      return found;
    },
    stages: [
      { name: 'merge_requests', rows: requests },
      { name: 'approvals', rows: approvals },
      { name: 'notes', rows: comments },
    ],
  };
}
