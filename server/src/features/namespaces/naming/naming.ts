/** Names and paths of groups and projects: what they may be, in the words that clients know. */
import { branchRef } from '@millrace/git';
import { invalidRecord } from '../../../kernel/http/errors.ts';

const longestText = 255;

const topLevelReserved = new Set(
  `- .well-known 404.html 422.html 500.html 502.html 503.html admin api apple-touch-icon.png assets dashboard
   deploy.html explore favicon.ico favicon.png files groups health_check help import jwt login oauth profile projects
   public robots.txt s search sitemap sitemap.xml sitemap.xml.gz slash-command-logo.png snippets unsubscribes uploads
   users v2`.split(/\s+/),
);
const nestedReserved = new Set(
  `- badges blame blob builds commits create create_dir edit files find_file new preview raw refs tree update wikis`.split(
    /\s+/,
  ),
);

const projectPath = /^[a-zA-Z0-9_.][a-zA-Z0-9_\-.]*$/;
const groupPath = /^(?:[a-zA-Z0-9_.][a-zA-Z0-9_\-.]*[a-zA-Z0-9_-]|[a-zA-Z0-9_])$/;
const suffix = /\.(git|atom)$/i;
const projectName =
  /^[\p{L}\p{N}\p{Extended_Pictographic}_](?:[\p{L}\p{N}\p{Extended_Pictographic}\p{Pd}_.+ -]|\u200d|\ufe0f)*$/u;
const groupName =
  /^[\p{L}\p{N}\p{Extended_Pictographic}_](?:[\p{L}\p{N}\p{Extended_Pictographic}\p{Pd}_.,()' -]|\u200d|\ufe0f)*$/u;

type Reasons = readonly string[];

function lengthReasons(text: string): string[] {
  if (text.trim() === '') return ["can't be blank"];
  return text.length > longestText ? [`is too long (maximum is ${longestText} characters)`] : [];
}

/** Refuses what git does not take for a branch: the first push or commit would fail on it. */
export function checkBranchName(name: string | null | undefined): void {
  if (name && branchRef(name) === null) throw invalidRecord({ default_branch: ['is not a valid branch name'] });
}

/** Why a text cannot be a group's path; empty when it can. */
export function groupPathReasons(path: string, topLevel: boolean): Reasons {
  const reasons = lengthReasons(path);
  if (reasons.length > 0) return reasons;
  if ((topLevel ? topLevelReserved : nestedReserved).has(path.toLowerCase())) return [`${path} is a reserved name`];
  if (groupPath.test(path) && !suffix.test(path)) return [];
  return [
    "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.",
  ];
}

/** Why a text cannot be a group's name. */
export function groupNameReasons(name: string): Reasons {
  const reasons = lengthReasons(name);
  if (reasons.length > 0 || groupName.test(name)) return reasons;
  return [
    "can contain only letters, digits, emoji, '_', '.', dash, space, parenthesis. It must start with letter, digit, emoji or '_'.",
  ];
}

/** Why a text cannot be a project's path. */
export function projectPathReasons(path: string): Reasons {
  const reasons = lengthReasons(path);
  if (reasons.length > 0) return reasons;
  if (nestedReserved.has(path.toLowerCase())) return [`${path} is a reserved name`];
  if (projectPath.test(path) && !suffix.test(path) && path !== '.' && path !== '..') return [];
  return [
    "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'.",
  ];
}

/** Why a text cannot be a project's name. */
export function projectNameReasons(name: string): Reasons {
  const reasons = lengthReasons(name);
  if (reasons.length > 0 || projectName.test(name)) return reasons;
  return [
    "can contain only letters, digits, emoji, '_', '.', '+', dashes, or spaces. It must start with a letter, digit, emoji, or '_'.",
  ];
}

/** A path made from a name: lower case, plain letters and digits, dashes between words. */
export function pathFromName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^-|-$/g, '');
}

/** The first of `path`, `path1`, `path2` ... that is not in `taken` (lower case). */
export function freePath(path: string, taken: ReadonlySet<string>): string {
  for (let number = 0; ; number += 1) {
    const candidate = number === 0 ? path : `${path}${number}`;
    if (!taken.has(candidate.toLowerCase())) return candidate;
  }
}

const marker = (id: number) => `-deletion_scheduled-${id}`;
/** What a path or name becomes while its owner waits for removal, so that the original is free again. */
export const scheduledText = (text: string, id: number): string =>
  `${text.slice(0, longestText - marker(id).length)}${marker(id)}`;
/** The path or name before it was released. */
export const unscheduledText = (text: string, id: number): string =>
  text.endsWith(marker(id)) ? text.slice(0, -marker(id).length) : text;

const order = ['private', 'internal', 'public'] as const;
export type Visibility = (typeof order)[number];
export const visibilities = order;
/** How open a visibility is, 0 to 2. */
export const openness = (visibility: Visibility): number => order.indexOf(visibility);
