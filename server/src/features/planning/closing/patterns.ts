/** Issues that a text closes: `Closes #1, #2`, `fixes group/project#3`. Pure: whether they exist is decided elsewhere. */

export interface ClosedReference {
  /** Full path of another project; null for the one that the text is of. */
  readonly project: string | null;
  readonly iid: number;
}

const reference = String.raw`(?:https?:\/\/[^\s/]+\/)?(?:[\w.-]+(?:\/[\w.-]+)*(?:\/-\/issues\/|#)|#)\d{1,9}\b`;
const verbs = 'clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?';
const sentence = new RegExp(
  String.raw`(?<![\w-])(?:${verbs}):?\s+(?:issues?\s+)?(${reference}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:issues?\s+)?${reference})*)`,
  'gi',
);
const parts = /(?:https?:\/\/[^\s/]+\/)?(?:([\w.-]+(?:\/[\w.-]+)*)(?:\/-\/issues\/|#)|#)(\d{1,9})\b/g;

/** Longer texts close nothing, and one text at most this many issues. */
const longest = 100_000;
const most = 100;

/** Each once, in the order of the text. What stands in code closes nothing. */
export function closedIn(text: string): ClosedReference[] {
  if (text.length > longest) return [];
  const found = new Map<string, ClosedReference>();
  const plain = text.replace(/^ {0,3}(```|~~~)[\s\S]*?(?:^ {0,3}\1|(?![\s\S]))/gm, ' ').replace(/`[^`\n]*`/g, ' ');
  for (const [, list = ''] of plain.matchAll(sentence))
    for (const [, project = null, iid] of list.matchAll(parts)) {
      const closed = { project, iid: Number(iid) };
      if (closed.iid > 0 && found.size < most) found.set(`${project ?? ''}#${closed.iid}`, closed);
    }
  return [...found.values()];
}
