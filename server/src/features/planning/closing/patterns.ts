/** Issues that a text closes: `Closes #1, #2`, `fixes group/project#3`. Pure: whether they exist is decided elsewhere. */

export interface ClosedReference {
  /** Full path of another project; null for the one that the text is of. */
  readonly project: string | null;
  readonly iid: number;
}

const reference = String.raw`(?:https?:\/\/[^\s/]+\/)?(?:[\w.-]+(?:\/[\w.-]+)*(?:\/-\/issues\/|#)|#)\d{1,9}\b`;
/** Key of an issue in a tracker elsewhere. */
const key = String.raw`\b[A-Z][A-Z0-9_]*-\d{1,12}\b`;
const verbs = 'clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?';
const either = `(?:${reference}|${key})`;
const sentence = new RegExp(
  String.raw`(?<![\w-])(?:${verbs}):?\s+(?:issues?\s+)?(${either}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:issues?\s+)?${either})*)`,
  'gi',
);
const parts = /(?:https?:\/\/[^\s/]+\/)?(?:([\w.-]+(?:\/[\w.-]+)*)(?:\/-\/issues\/|#)|#)(\d{1,9})\b/g;

/** Longer texts close nothing, and one text at most this many issues. */
const longest = 100_000;
const most = 100;

/** What the sentences of a text that close something name. What stands in code closes nothing. */
function listsIn(text: string): string[] {
  if (text.length > longest) return [];
  const plain = text.replace(/^ {0,3}(```|~~~)[\s\S]*?(?:^ {0,3}\1|(?![\s\S]))/gm, ' ').replace(/`[^`\n]*`/g, ' ');
  return [...plain.matchAll(sentence)].map(([, list = '']) => list);
}

/** Each once, in the order of the text. */
export function closedIn(text: string): ClosedReference[] {
  const found = new Map<string, ClosedReference>();
  for (const list of listsIn(text))
    for (const [, project = null, iid] of list.matchAll(parts)) {
      const closed = { project, iid: Number(iid) };
      if (closed.iid > 0 && found.size < most) found.set(`${project ?? ''}#${closed.iid}`, closed);
    }
  return [...found.values()];
}

/** Keys of issues in a tracker elsewhere that a text closes, each once, in its order. */
export const keysClosedIn = (text: string): string[] =>
  [...new Set(listsIn(text).flatMap((list) => list.match(new RegExp(key, 'g')) ?? []))].slice(0, most);
