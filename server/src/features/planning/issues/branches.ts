/** Names of branches that are made for issues. Pure. */
import type { Issue } from '../../../kernel/db/rows.ts';

/** Longer names end with their last whole word. */
const longest = 100;

const marks = /\p{M}+/gu;

/** Small letters and digits of the alphabet of addresses, with hyphens between words. */
const slug = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(marks, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^-|-$/g, '');

/** `12-login-page-is-slow`, or as the template of the project has it; the title of a confidential issue stays unknown. */
export function branchNameOf(
  { iid, title, confidential }: Pick<Issue, 'iid' | 'title' | 'confidential'>,
  template: string | null,
): string {
  if (confidential) return `${iid}-confidential-issue`;
  const parts = { id: String(iid), title: slug(title) };
  const name = template
    ? template.replace(/%\{(id|title)\}/g, (_all, part: keyof typeof parts) => parts[part])
    : [parts.id, parts.title].filter((part) => part !== '').join('-');
  return name.length <= longest ? name : name.slice(0, longest).replace(/-[^-]*$/, '');
}
