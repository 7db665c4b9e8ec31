/** Releases in archives of projects, with their links and what they end; what was noted of them at the time stays behind. */
import Type from 'typebox';
import { HttpError } from '../../../kernel/http/errors.ts';
import { DateTimeParam, List, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { type Relation, relation } from '../../namespaces/index.ts';
import { checkLinks } from './links.ts';
import { linkTypes } from './releases.entity.ts';
import { insertArchived, releasesOf, removeReleases } from './transfer.queries.ts';

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
  }),
  rows: releasesOf,
  insert: async (tx, { links = [], milestones = [], author, ...row }, target) => {
    if (row.sha && !(await target.hasCommit(row.sha))) return 'is of a commit that the archive does not have';
    try {
      checkLinks(links);
    } catch (error) {
      if (error instanceof HttpError) return error.message;
      throw error;
    }
    const authorId = (await target.person(author)) ?? target.importerId;
    const made = await insertArchived(tx, target.projectId, { ...row, author_id: authorId }, links, milestones);
    return made ? null : 'is there already';
  },
  remove: removeReleases,
});
