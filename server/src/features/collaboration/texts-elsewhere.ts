/**
 * What becomes of texts that go to another project or group, when an issue is moved, cloned or promoted: what they name in short
 * words is named so that it is found from there, and files that they show or link to are copied.
 */
import { randomBytes } from 'node:crypto';
import type { Caller } from '../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../kernel/db/index.ts';
import { baseOf, type Markdown, type OwnPlace } from '../../kernel/markdown/index.ts';
import type { ObjectStore } from '../../kernel/objects/index.ts';
import type { Place } from '../namespaces/index.ts';
import { namingComments, type Reworded } from './copying.queries.ts';
import type { Noteable } from './notes/index.ts';
import { findUpload, insertUpload } from './uploads/uploads.queries.ts';

interface Dependencies {
  readonly db: Db;
  readonly markdown: Pick<Markdown, 'moved'>;
  readonly objects: Pick<ObjectStore, 'get' | 'exists' | 'put' | 'remove'>;
}

export interface Journey {
  readonly caller: Caller;
  readonly from: Place;
  readonly to: Place;
}

export interface MovedTexts {
  /** A text as the other place has it; one that is another text since it was looked through stays as it is. */
  text(now: string | null): string | null;
  readonly comments: readonly Reworded[];
}

/** Files that go along with one issue. */
const mostFiles = 200;

const address = /(?<=[("'<]\s*)\/uploads\/([0-9a-f]{32})\/([^\s)"'<>?#]{1,1000})/g;
const isSame = (from: Place, to: Place): boolean =>
  from.kind === 'project' && to.kind === 'project' && from.project.id === to.project.id;
const ownPlace = (place: Place): OwnPlace =>
  place.kind === 'group'
    ? { project: null, group: place.group.full_path }
    : { project: `${place.namespace.full_path}/${place.project.path}`, group: place.namespace.full_path };

type NewFile = Parameters<typeof insertUpload>[2];

/** Copies the files that texts name, each once, and names the copies. */
function copiedFiles({ db, objects }: Dependencies, { caller, from }: Journey) {
  const made: NewFile[] = [];
  const secrets = new Map<string, string>();

  async function copied(secret: string): Promise<void> {
    if (secrets.has(secret) || made.length === mostFiles) return;
    const upload = await findUpload(db, from, secret);
    if (!upload || !(await objects.exists(upload.object_key))) return;
    const { key, size } = await objects.put(objects.get(upload.object_key));
    const row = { secret: randomBytes(16).toString('hex'), file_name: upload.file_name, object_key: key, size };
    made.push({ ...row, uploadedById: caller.user?.id ?? null });
    secrets.set(secret, row.secret);
  }

  return {
    made,
    async renamed(text: string): Promise<string> {
      for (const [, secret = ''] of text.matchAll(address)) await copied(secret);
      return text.replaceAll(address, (whole, secret: string, name: string) => {
        const other = secrets.get(secret);
        return other === undefined ? whole : `/uploads/${other}/${name}`;
      });
    },
    async removed(): Promise<void> {
      for (const { object_key: key } of made) await objects.remove(key);
    },
  };
}

export function textMoves(deps: Dependencies) {
  const { db, markdown } = deps;
  return {
    /** Does the work in a transaction, with the description and the comments as the other place has them. */
    async along<T>(
      journey: Journey,
      description: string | null,
      said: Noteable | null,
      work: (tx: Db, moved: MovedTexts) => Promise<T>,
    ): Promise<T> {
      const { caller, from, to } = journey;
      // Within one project everything is named and found as before.
      if (isSame(from, to)) return await transaction(db, (tx) => work(tx, { text: (now) => now, comments: [] }));
      const files = copiedFiles(deps, journey);
      const written = async (text: string): Promise<string> =>
        await files.renamed(await markdown.moved(text, { caller, base: baseOf(from) }, ownPlace(to)));
      try {
        const text = description === null ? null : await written(description);
        const comments: Reworded[] = [];
        for (const { id, body: was } of said === null ? [] : await namingComments(db, said)) {
          const body = await written(was);
          if (body !== was) comments.push({ id, was, body });
        }
        return await transaction(db, async (tx) => {
          for (const file of files.made) await insertUpload(tx, to, file);
          return await work(tx, { text: (now) => (now === description ? text : now), comments });
        });
      } catch (error) {
        await files.removed();
        throw error;
      }
    },
  };
}
export type TextMoves = ReturnType<typeof textMoves>;
