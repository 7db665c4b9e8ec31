/** Pages of wikis: read at a version, and written as commits through the one write path. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as git from '@millrace/git';
import type { Caller, Subject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Wiki } from '../../../kernel/db/rows.ts';
import { conflict, invalidRecord, notFound, plainError, tooLarge, unauthorized } from '../../../kernel/http/errors.ts';
import type { UploadedFile } from '../../../kernel/http/params/nested.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { safeFileName } from '../../collaboration/index.ts';
import { asHttpError, type OpenRepository } from '../reading/git-reader.ts';
import type { CommitData, RepositoryReader } from '../reading/reader.ts';
import type { WritePath } from '../writes/write-path.ts';
import {
  attachmentsFolder,
  folderOf,
  formats,
  inOrder,
  lengthProblems,
  type PageFormat,
  type PagePlace,
  pageAt,
  pathOf,
  slugFor,
  titleOf,
} from './pages.ts';
import type { WikiRepositories, WikiSubject } from './wiki.ts';
import { findWiki } from './wikis.queries.ts';

/** A page as it is at a version. */
export interface Page extends PagePlace {
  readonly blob: string;
}

export interface PageValues {
  readonly title?: string | undefined;
  readonly content?: string | undefined;
  readonly format?: PageFormat | undefined;
  readonly message?: string | undefined;
  /** The newest commit of the page that the writer has seen. */
  readonly lastCommit?: string | undefined;
}

/** A page of the API is not larger; larger files that were pushed are told as empty. */
const largestPage = 10 * 1024 ** 2;
/** Texts of one list together. */
const largestList = 64 * 1024 ** 2;
const manyPages = 10_000;

/** In the largest unit that it has one of. */
function sizeText(bytes: number): string {
  const [unit, of] = bytes < 1024 ? ['Bytes', 1] : bytes < 1024 ** 2 ? ['KiB', 1024] : ['MiB', 1024 ** 2];
  return `${Number((bytes / of).toFixed(2))} ${unit}`;
}

export function wikiService(deps: {
  readonly db: Db;
  readonly open: OpenRepository;
  readonly reader: RepositoryReader;
  readonly repositories: WikiRepositories;
  readonly writes: WritePath<WikiSubject>;
  readonly settings: Pick<Settings, 'read'>;
}) {
  const { db, open, reader, repositories, writes } = deps;

  const pageOf = ({ path, id, type }: { path: string; id: string; type: string }): Page | null => {
    const place = type === 'blob' ? pageAt(path) : null;
    return place && { ...place, blob: id };
  };

  /** The page of a slug in a tree; as typed, or with hyphens for its blanks. */
  async function lookup(repo: git.Repo, tree: git.Sha, slug: string): Promise<Page | null> {
    for (const wanted of new Set([slug, slug.replaceAll(' ', '-')])) {
      if (git.splitPath(wanted)?.join('/') !== wanted) continue;
      const entries = await git.listTree(repo, tree, folderOf(wanted)).catch((error: unknown) => {
        throw asHttpError(error);
      });
      const found = entries?.map(pageOf).find((page) => page?.slug === wanted);
      if (found) return found;
    }
    return null;
  }

  async function pages(place: Subject): Promise<{ wiki: Wiki; pages: Page[] } | null> {
    const wiki = await findWiki(db, place);
    const head = wiki && (await repositories.head(wiki));
    if (!wiki || !head) return null;
    const found: Page[] = [];
    for await (const entry of git.walkTree(open(wiki), head)) {
      const page = pageOf(entry);
      if (page) found.push(page);
      if (found.length >= manyPages) break;
    }
    return { wiki, pages: inOrder(found) };
  }

  /** A page at its newest version, or at a commit. */
  async function page(
    place: Subject,
    slug: string,
    version?: string,
  ): Promise<{ wiki: Wiki; at: git.Sha; page: Page }> {
    const wiki = await findWiki(db, place);
    const head = wiki && (await repositories.head(wiki));
    if (!wiki || !head) throw notFound('Wiki Page');
    const given = version && /^[0-9a-f]{7,64}$/.test(version) ? await reader.resolve(wiki, version) : null;
    const at = version ? (given === null ? null : git.parseSha(given)) : head;
    const found = at && (await lookup(open(wiki), at, slug));
    if (!found) throw notFound('Wiki Page');
    return { wiki, at, page: found };
  }

  const content = async (wiki: Wiki, { blob }: Page): Promise<string> =>
    (await reader.blobContent(wiki, blob, largestPage))?.toString('utf8') ?? '';

  /** Texts of pages, in their order. */
  async function contents(wiki: Wiki, of: readonly Page[]): Promise<string[]> {
    let total = 0;
    const texts: string[] = [];
    for (const each of of) {
      const text = await content(wiki, each);
      total += text.length;
      if (total > largestList) throw tooLarge('max_wiki_list_bytes', largestList);
      texts.push(text);
    }
    return texts;
  }

  /** Commits that changed a page, the newest first, and how many there are. */
  async function versions(
    place: Subject,
    slug: string,
    window: { skip: number; limit: number },
  ): Promise<{ rows: CommitData[]; total: number }> {
    const { wiki, at, page: found } = await page(place, slug);
    // In any format that it had; contents do not tell a page that moved from one that is new.
    const paths = [...new Set([found.path, ...formats.map((format) => pathOf(found.slug, format))])];
    const [rows, total] = await Promise.all([
      reader.log(wiki, { from: [at], paths, ...window }),
      git.countCommits(open(wiki), { from: [at], paths }),
    ]);
    return { rows, total };
  }

  async function checkContent(text: string): Promise<void> {
    if (text.trim() === '') throw invalidRecord({ content: ["can't be blank"] });
    const maximum = (await deps.settings.read()).wiki_page_max_content_bytes;
    const bytes = Buffer.byteLength(text);
    if (bytes > maximum)
      throw invalidRecord({
        content: [`is too long (${sizeText(bytes)}. The maximum size is ${sizeText(maximum)}.)`],
      });
  }

  function checkSlug(slug: string): void {
    if (slug === '') throw invalidRecord({ title: ["can't be blank"] });
    const problems = lengthProblems(slug);
    const written = git.writablePath(pathOf(slug, 'markdown'));
    if (problems.length === 0 && (written === null || slug.startsWith(`${attachmentsFolder}/`)))
      problems.push('is invalid');
    if (problems.length > 0) throw invalidRecord({ title: problems });
  }

  interface Editing {
    readonly editor: git.TreeEditor;
    readonly find: (slug: string) => Promise<Page | null>;
    readonly repo: git.Repo;
    readonly tip: git.Sha | null;
  }

  /** One commit on a branch, the default one unless told; `edit` answers its message. */
  async function commit(
    place: Subject,
    caller: Caller,
    edit: (editing: Editing) => Promise<string>,
    branch?: string,
  ): Promise<{ wiki: Wiki; branch: string; sha: git.Sha }> {
    const { user } = caller;
    if (!user) throw unauthorized();
    const subject = await repositories.ensure(place);
    const name = branch ?? subject.wiki.default_branch ?? 'main';
    const ref = git.branchRef(name);
    if (ref === null || git.branchNameProblem(name) !== null) throw plainError(400, 'Branch name is invalid');
    let made: git.Sha = git.ZERO_SHA;
    await writes.write({
      subject,
      caller,
      kind: 'api',
      async build({ quarantine }) {
        const repo = quarantine.base;
        const tip = await git.readRef(repo, ref);
        const head = tip ?? (await repositories.head(subject.wiki));
        const editor = git.createTreeEditor(quarantine, head === null ? null : await git.treeOf(repo, head));
        const find = async (slug: string) => (head === null ? null : await lookup(repo, head, slug));
        const message = await edit({ editor, find, repo, tip: head });
        const person = {
          name: user.name,
          email: user.commit_email ?? user.email,
          seconds: Math.floor(Date.now() / 1000),
        };
        made = await git.createCommit(quarantine, {
          tree: await editor.write(),
          parents: head === null ? [] : [head],
          author: person,
          committer: person,
          message,
        });
        return [{ ref, before: tip ?? git.ZERO_SHA, after: made }];
      },
    });
    return { wiki: subject.wiki, branch: name, sha: made };
  }

  const said = (caller: Caller, what: string, slug: string, message: string | undefined) =>
    message?.trim() ? message : `${caller.user?.username ?? ''} ${what} page: ${titleOf(slug)}`;

  const duplicate = (reason: string) => invalidRecord({ base: [reason] });

  async function apply(editor: git.TreeEditor, action: git.TreeAction, taken: string): Promise<void> {
    try {
      await editor.apply(action);
    } catch (error) {
      if (!(error instanceof git.TreeActionError)) throw error;
      throw error.problem === 'path' ? invalidRecord({ title: ['is invalid'] }) : duplicate(taken);
    }
  }

  async function create(
    place: Subject,
    caller: Caller,
    values: PageValues & { readonly title: string; readonly content: string },
  ): Promise<string> {
    const slug = slugFor(values.title);
    checkSlug(slug);
    await checkContent(values.content);
    const bytes = Buffer.from(values.content, 'utf8');
    await commit(place, caller, async ({ editor, find }) => {
      const taken = 'Duplicate page: A page with that title already exists';
      if (await find(slug)) throw duplicate(taken);
      const path = pathOf(slug, values.format ?? 'markdown');
      await apply(editor, { action: 'create', path, content: bytes }, taken);
      return said(caller, 'created', slug, values.message);
    });
    return slug;
  }

  async function update(place: Subject, caller: Caller, slug: string, values: PageValues): Promise<string> {
    // Before a wiki would be made for a page that is not there.
    await page(place, slug);
    if (values.content !== undefined) await checkContent(values.content);
    let target = slug;
    await commit(place, caller, async ({ editor, find, repo, tip }) => {
      const found = await find(slug);
      if (!found || tip === null) throw notFound('Wiki Page');
      if (values.lastCommit !== undefined && (await git.lastCommitOf(repo, tip, found.path)) !== values.lastCommit)
        throw conflict(
          'Someone edited the page the same time you did. Please check out the page and make sure your changes will not unintentionally remove theirs.',
        );
      target = values.title === undefined ? found.slug : slugFor(values.title, folderOf(found.slug));
      // A title of blanks alone, or the same page by its own title.
      if (target !== found.slug) checkSlug(target);
      const taken = 'There is already a page with the same title in that path.';
      const other = target === found.slug ? null : await find(target);
      if (other) throw duplicate(taken);
      const path = pathOf(target, values.format ?? found.format);
      const kept = target === found.slug && (values.format ?? found.format) === found.format;
      const text = values.content === undefined ? undefined : Buffer.from(values.content, 'utf8');
      if (!kept)
        await apply(
          editor,
          { action: 'move', path, previousPath: found.path, ...(text ? { content: text } : {}) },
          taken,
        );
      else if (text) await apply(editor, { action: 'update', path: found.path, content: text }, taken);
      return said(caller, 'updated', target, values.message);
    });
    return target;
  }

  async function remove(place: Subject, caller: Caller, slug: string): Promise<void> {
    await commit(place, caller, async ({ editor, find }) => {
      const found = await find(slug);
      if (!found) throw notFound('Wiki Page');
      await editor.apply({ action: 'delete', path: found.path });
      return said(caller, 'deleted', found.slug, undefined);
    });
  }

  /** Puts a file beside the pages; answers its path and branch. */
  async function attach(
    place: Subject,
    caller: Caller,
    file: UploadedFile,
    branch: string | undefined,
  ): Promise<{ readonly name: string; readonly path: string; readonly branch: string }> {
    const name = safeFileName(file.filename);
    const path = `${attachmentsFolder}/${randomBytes(16).toString('hex')}/${name}`;
    const bytes = await readFile(file.path);
    const made = await commit(
      place,
      caller,
      async ({ editor }) => {
        await editor.apply({ action: 'create', path, content: bytes });
        return `Upload attachment ${name}`;
      },
      branch,
    );
    return { name, path, branch: made.branch };
  }

  /** A file that was attached, at the newest version. */
  async function attachment(place: Subject, secret: string, name: string) {
    const wiki = await findWiki(db, place);
    const head = wiki && (await repositories.head(wiki));
    const known = /^[0-9a-f]{32}$/.test(secret) && git.splitPath(name)?.length === 1;
    const blob = wiki && head && known ? await reader.blob(wiki, head, `${attachmentsFolder}/${secret}/${name}`) : null;
    if (!wiki || !blob || !/^100/.test(blob.mode)) throw notFound('File');
    return { wiki, blob };
  }

  return { pages, page, content, contents, versions, create, update, remove, attach, attachment };
}
export type WikiService = ReturnType<typeof wikiService>;
