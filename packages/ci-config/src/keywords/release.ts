/** `release`: what is published at a tag when the job has done its work. Variables in it are the job's to expand. */
import type { Keyword } from './keyword.ts';
import { field, textOf, textsOf } from './read.ts';
import { flatItems, hash, isList, isText, name, oneOf, type Schema, subjectOf, text, textOrTexts } from './schema.ts';

export type ReleaseLink = {
  readonly name: string;
  readonly url: string;
  readonly filepath: string | null;
  readonly linkType: string | null;
};
export type Release = {
  readonly tagName: string;
  readonly tagMessage: string | null;
  readonly name: string | null;
  readonly description: string;
  /** Where the tag is made; null for the job's own commit. */
  readonly ref: string | null;
  readonly releasedAt: string | null;
  readonly milestones: readonly string[];
  readonly links: readonly ReleaseLink[];
};

const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
// What git takes for no name of a ref, whatever its variables stand for.
const NO_REF = /^[-/]|[\s~^:?*[\\]|\.\.|@\{[^}]*$|\/\/|\/$|\.$|\.lock$/;

function checked(holds: (value: string) => boolean, expectation: string): Schema {
  return (node, at, problems) => {
    if (isText(node) && holds(node.text)) return true;
    problems.error(node.mark, `${subjectOf(at)} ${expectation}`);
    return false;
  };
}

const link = hash({
  keys: { name, url: name, filepath: text, link_type: oneOf(['other', 'runbook', 'image', 'package']) },
  required: ['name', 'url'],
});
const links: Schema = (node, at, problems) => {
  const items = isList(node) ? flatItems(node) : null;
  if (!items) {
    problems.error(node.mark, `${subjectOf(at)} should be an array of hashes`);
    return false;
  }
  const here = { path: `${at.path}:links:link`, noun: 'config' };
  return items.map((item) => link(item, here, problems)).every(Boolean);
};

export const release: Keyword<Release> = {
  name: 'release',
  schema: hash({
    keys: {
      tag_name: name,
      tag_message: text,
      name: text,
      description: name,
      ref: checked((value) => value !== '' && !NO_REF.test(value), 'must be a valid ref'),
      released_at: checked((value) => DATE.test(value) && !Number.isNaN(Date.parse(value)), 'must be a valid datetime'),
      milestones: textOrTexts,
      assets: hash({ keys: { links } }),
    },
    required: ['tag_name', 'description'],
  }),
  normalise: (node) => ({
    tagName: textOf(field(node, 'tag_name')) ?? '',
    tagMessage: textOf(field(node, 'tag_message')),
    name: textOf(field(node, 'name')),
    description: textOf(field(node, 'description')) ?? '',
    ref: textOf(field(node, 'ref')),
    releasedAt: textOf(field(node, 'released_at')),
    milestones: textsOf(field(node, 'milestones')),
    links: (flatItems(field(field(node, 'assets'), 'links') ?? node) ?? []).map((item) => ({
      name: textOf(field(item, 'name')) ?? '',
      url: textOf(field(item, 'url')) ?? '',
      filepath: textOf(field(item, 'filepath')),
      linkType: textOf(field(item, 'link_type')),
    })),
  }),
};
