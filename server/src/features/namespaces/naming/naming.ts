/** Names and paths of groups and projects: what they may be, in the words that clients know. */
import { branchRef } from '@millrace/git';
import { invalidRecord } from '../../../kernel/http/errors.ts';
import { reservedAtTheTop, reservedBelow, reservedExtensions } from './reserved.ts';

const longestText = 255;

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

/** Whether pages have a path themselves; `above` is the full path of the group that it would be in, null for the top. */
export function isReserved(path: string, above: string | null): boolean {
  if (above === null) return reservedAtTheTop.has(path.toLowerCase());
  const segments = `${above}/${path}`.toLowerCase().split('/');
  return segments.some((_, at) => at > 0 && reservedBelow.has(segments.slice(at).join('/')));
}

/** Names of images and packages begin with paths, and cannot hold more. Older paths stay as they are. */
const plainWords = /^[a-zA-Z0-9]+(?:[._-][a-zA-Z0-9]+)*$/;
const notPlain = 'must not start or end with a special character and must not contain consecutive special characters.';
const specialReasons = (path: string): Reasons => (plainWords.test(path) ? [] : [notPlain]);

/** Why a text cannot be a group's path; empty when it can. `above`: see `isReserved`. */
export function groupPathReasons(path: string, above: string | null): Reasons {
  const reasons = lengthReasons(path);
  if (reasons.length > 0) return reasons;
  if (isReserved(path, above)) return [`${path} is a reserved name`];
  if (groupPath.test(path) && !suffix.test(path)) return specialReasons(path);
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

/** Why a username cannot be the path of a namespace, besides what usernames may be. */
export function usernamePathReasons(username: string): Reasons {
  if (isReserved(username, null)) return [`${username} is a reserved name`];
  const extension = username.slice(username.lastIndexOf('.') + 1).toLowerCase();
  if (!username.includes('.') || !reservedExtensions.has(extension)) return [];
  return ['ending with a reserved file extension is not allowed.'];
}

/** Why a text cannot be a project's path in the namespace of that full path. */
export function projectPathReasons(path: string, above: string): Reasons {
  const reasons = lengthReasons(path);
  if (reasons.length > 0) return reasons;
  if (isReserved(path, above)) return [`${path} is a reserved name`];
  if (projectPath.test(path) && !suffix.test(path) && path !== '.' && path !== '..') return specialReasons(path);
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
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/[_-]{2,}/g, '-')
    .replace(/^[_-]+|[_-]+$/g, '');
}

/** The first of `path`, `path1`, `path2` ... that can be given: not in `taken` (lower case), not reserved, not too long. */
export function freePath(path: string, taken: ReadonlySet<string>, above: string | null): string {
  for (let number = 0; ; number += 1) {
    const end = number === 0 ? '' : String(number);
    const candidate = path.slice(0, longestText - end.length) + end;
    if (!taken.has(candidate.toLowerCase()) && !isReserved(candidate, above)) return candidate;
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
