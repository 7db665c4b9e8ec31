/** Releases in archives of projects, with their links, what they end, and the evidence collected of them. */
import { createHash } from 'node:crypto';
import Type from 'typebox';
import Value from 'typebox/value';
import { HttpError } from '../../../kernel/http/errors.ts';
import { DateTimeParam, List, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { type Relation, relation, rewritingTexts } from '../../namespaces/index.ts';
import { checkLinks } from './links.ts';
import { EvidenceSummary, linkTypes } from './releases.entity.ts';
import { insertArchived, releasesOf, removeReleases } from './transfer.queries.ts';

/** Whether a summary is one, and the one that its hash is of. */
function isEvidence({ sha, summary }: { readonly sha: string; readonly summary: string }): boolean {
  if (createHash('sha256').update(summary).digest('hex') !== sha) return false;
  try {
    return Value.Check(EvidenceSummary, JSON.parse(summary));
  } catch {
    return false;
  }
}
const maybeText = (maxLength: number) => Optional(OrNull(Str({ maxLength })));

export const releaseRelation: Relation = relation({
  name: 'releases',
  schema: Type.Object({
    tag: Str({ minLength: 1, maxLength: 1024 }),
    sha: Optional(OrNull(Str({ pattern: '^[0-9a-f]{40}$' }))),
    name: maybeText(255),
    description: maybeText(1_000_000),
    author: maybeText(255),
    released_at: DateTimeParam(),
    created_at: DateTimeParam(),
    milestones: Optional(List(Str({ minLength: 1, maxLength: 255 }))),
    links: Optional(
      List(
        Type.Object({
          name: Str({ minLength: 1, maxLength: 255 }),
          url: Str({ minLength: 1, maxLength: 2048 }),
          filepath: maybeText(128),
          link_type: Optional(OneOf(linkTypes)),
        }),
      ),
    ),
    /** The service vouches for it: only administrators bring it in. */
    evidences: Optional(
      List(
        Type.Object({
          sha: Str({ pattern: '^[0-9a-f]{64}$' }),
          summary: Str({ minLength: 2, maxLength: 1_000_000 }),
          collected_at: DateTimeParam(),
        }),
      ),
    ),
  }),
  rows: releasesOf,
  insert: async (tx, { links = [], milestones = [], evidences = [], author, ...row }, target) => {
    if (row.sha && !(await target.hasCommit(row.sha))) return 'is of a commit that the archive does not have';
    try {
      checkLinks(links);
    } catch (error) {
      if (error instanceof HttpError) return error.message;
      throw error;
    }
    const authorId = (await target.person(author)) ?? target.importerId;
    const values = { ...row, author_id: authorId };
    if (!evidences.every(isEvidence)) return 'has evidence that was changed';
    const kept = target.trusted ? evidences : [];
    const made = await insertArchived(tx, target.projectId, values, links, milestones, kept);
    return made ? null : 'is there already';
  },
  texts: rewritingTexts('releases', 'description'),
  remove: removeReleases,
});
