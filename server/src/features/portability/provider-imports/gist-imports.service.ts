/** Gists of a person become personal snippets, in the background; what could not is told by mail. */
import Type from 'typebox';
import { anonymous, type Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { forbidden, HttpError, plainError, unauthorized } from '../../../kernel/http/errors.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import type { Outbound } from '../../../kernel/outbound/index.ts';
import { addJob, defineTask } from '../../../kernel/queue/index.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { findUser } from '../../identity/index.ts';
import type { NewSnippet } from '../../repository/index.ts';
import { type Row, record, text } from '../project-archives/json.ts';
import { ProviderError } from './client.ts';
import { beginGistImport, endGistImport, findGistImport, type GistFailure, markGist } from './gist-imports.queries.ts';
import { hostedClient } from './hosted.ts';

export interface GistImportDependencies {
  readonly db: Db;
  readonly outbound: Outbound;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
  readonly settings: Pick<Settings, 'read'>;
  readonly mail: Pick<Mail, 'send'>;
  readonly createSnippet: (place: null, caller: Caller, given: NewSnippet) => Promise<unknown>;
}

const gistTask = { name: 'portability.import_gists', maxAttempts: 3 };
const purpose = 'gist import';
const mostFiles = 10;
const hour = 3_600_000;

interface Config {
  readonly base: string;
  readonly tokens: readonly string[];
}

const filesOf = (gist: Row): Row[] => Object.values(record(gist.files)).map(record);
const titleOf = (gist: Row): string =>
  (text(gist.description)?.trim() || text(filesOf(gist)[0]?.filename) || 'Untitled').slice(0, 255);

/** What is wrong with one gist, in words; null for what is wrong with the instance. */
function reasonOf(error: unknown): string | null {
  if (error instanceof ProviderError) return error.message;
  if (!(error instanceof HttpError) || error.status >= 500) return null;
  const { message } = error.body as { message?: unknown };
  return typeof message === 'object' && message !== null
    ? Object.entries(message)
        .map(([field, list]) => `${field} ${[list].flat().join(', ')}`)
        .join('; ')
    : error.message;
}

export function gistImportService(deps: GistImportDependencies) {
  const { db, outbound, secrets, settings } = deps;

  async function start(caller: Caller, config: Config, signal: AbortSignal): Promise<void> {
    const { user } = caller;
    if (!user) throw unauthorized();
    if (user.external || !(await settings.read()).import_sources.includes('github')) throw forbidden();
    const refusal = await outbound.refusal(config.base, 'import');
    if (refusal !== null) throw plainError(400, `Invalid URL: ${refusal}`);
    if (await findGistImport(db, user.id)) throw plainError(422, 'Import already in progress');
    try {
      await hostedClient({ outbound, waits: false, signal }, config).get('/user');
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (error.kind === 'unauthorized') throw plainError(401, 'Access denied to the GitHub account.');
      if (error.kind === 'limited') throw plainError(429, 'GitHub API rate limit exceeded');
      throw plainError(422, `Import failed due to a GitHub error: ${error.message}`);
    }
    await transaction(db, async (tx) => {
      if (!(await beginGistImport(tx, user.id, secrets.seal(JSON.stringify(config), purpose))))
        throw plainError(422, 'Import already in progress');
      await addJob(tx, gistTask, { user_id: user.id });
    });
  }

  /** The text of a file; what the list of files leaves out of a large one is fetched without the token. */
  async function contentOf(file: Row, signal: AbortSignal): Promise<string | Buffer> {
    if (file.truncated !== true) return text(file.content) ?? '';
    const maximumBytes = (await settings.read()).snippet_size_limit;
    const url = text(file.raw_url) ?? '';
    const answer = await outbound.send({ url, kind: 'import', timeout: 60_000, maximumBytes, signal });
    if (answer.ok && answer.status === 200 && !answer.truncated) return answer.body;
    throw new ProviderError('unreachable', `The file ${text(file.filename) ?? ''} could not be fetched`);
  }

  async function finish(userId: number, failures: readonly GistFailure[]): Promise<void> {
    const user = await findUser(db, userId);
    await transaction(db, async (tx) => {
      await endGistImport(tx, userId);
      if (user && failures.length > 0)
        await deps.mail.send(tx, {
          to: user.notification_email || user.email,
          subject: 'Some gists could not be imported',
          paragraphs: [`Hello ${user.name},`, 'These gists could not be imported into your snippets:'],
          details: failures.slice(0, 100).map(({ title, reason }) => [title, reason] as const),
          closing:
            failures.length > 100
              ? `${failures.length - 100} more could not be imported.`
              : 'All other gists are among your snippets now.',
        });
    });
  }

  /** Nothing tries again: the person learns what is missing, and may begin anew. */
  async function giveUp(userId: number): Promise<void> {
    const kept = await findGistImport(db, userId);
    const rest = { title: 'All other gists', reason: 'An unexpected error occurred. Import them again.' };
    if (kept) await finish(userId, [...kept.failures, rest]);
  }

  async function run(userId: number, signal: AbortSignal): Promise<void> {
    const [kept, user] = [await findGistImport(db, userId), await findUser(db, userId)];
    if (!kept) return;
    if (user?.state !== 'active') return await finish(userId, []);
    const caller: Caller = { ...anonymous, user };
    const client = hostedClient(
      { outbound, waits: true, signal },
      JSON.parse(secrets.open(kept.config_sealed, purpose)) as Config,
    );
    const done = new Set(kept.done);
    const failures = [...kept.failures];
    const { restricted_visibility_levels: restricted } = await settings.read();

    async function bring(listed: Row, id: string): Promise<void> {
      if (filesOf(listed).length > mostFiles)
        throw new ProviderError('refused', `Snippets have at most ${mostFiles} files`);
      const gist = await client.get(`/gists/${encodeURIComponent(id)}`);
      const files: { file_path: string; content: string | Buffer }[] = [];
      for (const file of filesOf(gist))
        files.push({ file_path: text(file.filename) ?? '', content: await contentOf(file, signal) });
      const visibility = gist.public === true && !restricted.includes('public') ? 'public' : 'private';
      await deps.createSnippet(null, caller, { title: titleOf(gist), visibility, files, importedFrom: 'github' });
    }

    try {
      for await (const page of client.pages('/gists?per_page=100'))
        for (const gist of page) {
          signal.throwIfAborted();
          const id = text(gist.id);
          if (id === null || done.has(id)) continue;
          let failure: GistFailure | null = null;
          try {
            await bring(gist, id);
          } catch (error) {
            const reason = reasonOf(error);
            if (reason === null) throw error;
            failure = { title: titleOf(gist), reason };
            failures.push(failure);
          }
          done.add(id);
          await markGist(db, userId, id, failure);
        }
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      failures.push({ title: 'All other gists', reason: error.message });
    }
    await finish(userId, failures);
  }

  const task = defineTask(
    gistTask.name,
    Type.Object({ user_id: Type.Integer() }),
    async ({ user_id }, { signal, attempt, maxAttempts }) => {
      try {
        await run(user_id, signal);
      } catch (error) {
        if (attempt >= maxAttempts) await giveUp(user_id);
        throw error;
      }
    },
    { maxAttempts: gistTask.maxAttempts, timeout: 12 * hour },
  );
  return { start, tasks: [task] };
}
export type GistImports = ReturnType<typeof gistImportService>;
