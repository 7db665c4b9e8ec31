/** Projects of another instance of this API: its exports of relations, whose rows are those of ours. */

import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { BrokenOff, lively, type Outbound } from '../../../kernel/outbound/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { type Row, recordIn, text } from '../project-archives/json.ts';
import { linesOf } from '../project-archives/taking.ts';
import { ArchiveError, unpacked } from '../project-archives/tar.ts';
import { spellings } from '../relation-exports/relation-exports.service.ts';
import { nextHere, type ProviderClient, ProviderError, providerClient, serverAt } from './client.ts';
import type { ProviderConfig, ProviderRepository, Source } from './provider.ts';
import { fileParts } from './transfer-files.ts';

type Config = Extract<ProviderConfig, { provider: 'transfer' }>;

/** Where the API of an instance is; null for what is no address. */
export function transferApiOf(address: string): string | null {
  const at = serverAt(address);
  return at && `${at.origin}${at.path}/api/v4`;
}

export function transferClient(
  options: Pick<Parameters<typeof providerClient>[0], 'outbound' | 'waits' | 'signal'>,
  { base, token }: Pick<Config, 'base' | 'token'>,
): ProviderClient {
  return providerClient({
    ...options,
    base,
    credentials: [`Bearer ${token}`],
    accept: 'application/json',
    next: nextHere,
  });
}

const visibilityOf = (value: unknown) => (value === 'public' || value === 'internal' ? value : ('private' as const));

export async function transferRepository(client: ProviderClient, { projectId }: Pick<Config, 'projectId'>) {
  const row = await client.get(`/projects/${projectId}`);
  const [source, cloneUrl] = [text(row.path_with_namespace), text(row.http_url_to_repo)];
  if (source === null || cloneUrl === null || URL.parse(cloneUrl) === null)
    throw new ProviderError('unreachable', 'The server answered with something else than a project');
  const visibility = visibilityOf(row.visibility);
  return {
    id: String(projectId),
    name: text(row.name) ?? String(projectId),
    source,
    link: `/${source}`,
    description: text(row.description),
    private: visibility === 'private',
    visibility,
    cloneUrl,
    defaultBranch: text(row.default_branch),
  } satisfies ProviderRepository;
}

/** How often an export is looked at, and how long it may take, in milliseconds. */
const [lookEvery, longest] = [500, 2 * 3_600_000];
/** Nothing came for so long: the other side hangs. */
const silence = 120_000;
const pageSize = 100;
const mebibyte = 1024 ** 2;

export interface TransferLimits {
  /** Of the file of one relation, and of what it unpacks to; 0 for no limit. */
  readonly download: number;
  readonly unpacked: number;
}

interface FilesOptions {
  readonly outbound: Pick<Outbound, 'send' | 'open'>;
  readonly signal: AbortSignal;
  readonly source: Pick<Config, 'base' | 'token'>;
  /** Path of the project or group in the API of the other instance. */
  readonly place: string;
  readonly limits: TransferLimits;
}

/** The files that another instance makes of the relations of a project or group. */
export function relationFiles({ outbound, signal, source, place, limits }: FilesOptions) {
  const client = transferClient({ outbound, waits: true, signal }, source);
  const at = `${place}/export_relations`;
  const request = {
    kind: 'import',
    headers: { Authorization: `Bearer ${source.token}` },
    timeout: 60_000,
    signal,
  } as const;
  let ready: Promise<ReadonlySet<string>> | null = null;

  /** Has the relations exported; an export that is there already is of an attempt before. */
  async function begin(): Promise<void> {
    const answer = await outbound.send({
      ...request,
      url: `${source.base}${at}`,
      method: 'POST',
      maximumBytes: 65_536,
    });
    if (!answer.ok) throw new ProviderError('unreachable', answer.message);
    if (answer.status === 401 || answer.status === 403)
      throw new ProviderError('unauthorized', 'The token does not allow exports');
    if (answer.status === 404) throw new ProviderError('missing', 'The other instance has direct transfer disabled');
    if (answer.status !== 202) throw new ProviderError('unreachable', `The export was answered with ${answer.status}`);
  }

  /** The relations that the other side has, when all of them are done. */
  async function exported(): Promise<ReadonlySet<string>> {
    for (let waited = 0; waited < longest; waited += lookEvery) {
      const rows: Row[] = [];
      for await (const page of client.pages(`${at}/status`)) rows.push(...page);
      if (rows.length === 0) await begin();
      else if (rows.every(({ status }) => status !== 0))
        return new Set(rows.filter(({ status }) => status === 1).map(({ relation }) => String(relation)));
      await sleep(lookEvery, undefined, { signal });
    }
    throw new ProviderError('unreachable', 'The export took too long');
  }

  /** The rows of a relation, as its file is read. */
  async function* rowsOf(name: string, spelled: string = name) {
    ready ??= exported();
    if (!(await ready).has(spelled)) throw new ProviderError('missing', 'The other side could not export it');
    const url = `${source.base}${at}/download?relation=${spelled}`;
    const answer = await outbound.open({ ...request, url, redirects: 3 });
    if (!answer.ok) throw new ProviderError('unreachable', answer.message);
    try {
      if (answer.status !== 200) throw new ProviderError('unreachable', `The server answered ${answer.status}`);
      const packed = Readable.from(upTo(lively(answer, silence), limits.download));
      const body = unpacked(packed, limits.unpacked || Number.MAX_SAFE_INTEGER, 'max_decompressed_archive_size');
      let held: { relation: string; row: Row }[] = [];
      for await (const line of linesOf({ name, body })) {
        // What is no object is refused like any other wrong row.
        held.push({ relation: name, row: recordIn(line) ?? {} });
        if (held.length < pageSize) continue;
        yield held;
        held = [];
      }
      yield held;
    } catch (error) {
      if (error instanceof ArchiveError || error instanceof BrokenOff)
        throw new ProviderError('unreachable', error.message);
      throw error;
    } finally {
      answer.close();
    }
  }

  return { begin, rowsOf };
}

/** Bounds of the files of relations, by the settings of the instance. */
export async function transferLimits(settings: Pick<Settings, 'read'>): Promise<TransferLimits> {
  const values = await settings.read();
  return {
    download: values.bulk_import_max_download_file_size * mebibyte,
    unpacked: values.max_decompressed_archive_size * mebibyte,
  };
}

export async function transferSource(
  { outbound, signal }: Pick<FilesOptions, 'outbound' | 'signal'>,
  config: Config,
  relations: readonly string[],
  limits: TransferLimits,
): Promise<Source> {
  const client = transferClient({ outbound, waits: true, signal }, config);
  const repository = await transferRepository(client, config);
  const place = `/projects/${config.projectId}`;
  const files = relationFiles({ outbound, signal, source: config, place, limits });

  return {
    repository,
    known: () => undefined,
    git: { username: 'oauth2', password: config.token },
    async refs() {
      // Only asked for at the beginning: what was exported before is of the past.
      await files.begin();
      return [];
    },
    sameRefs: true,
    stages: relations
      .filter((name) => config.members || name !== 'members')
      .map((name) => ({ name, rows: () => files.rowsOf(name, spellings[name]) })),
    wiki: true,
    rowsOf: files.rowsOf,
    parts: (to) => fileParts({ ...to, outbound, signal, source: config, place, rowsOf: files.rowsOf }),
  };
}

async function* upTo(source: AsyncIterable<Buffer>, maximum: number): AsyncGenerator<Buffer> {
  let total = 0;
  for await (const chunk of source) {
    total += chunk.length;
    if (maximum > 0 && total > maximum)
      throw new ArchiveError(`The file is larger than ${maximum} bytes (bulk_import_max_download_file_size)`);
    yield chunk;
  }
}
