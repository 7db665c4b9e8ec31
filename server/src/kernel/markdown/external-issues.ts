/** Words of a text that may name an issue of a tracker elsewhere. Pure: which of them do depends on the tracker of the project. */
import type { Reference } from './references.ts';

/**
 * What the trackers that there are take for issues, together: `PROJ-12`, `#12`, `CU-8a1b`, `T12`, `work item 12`; neither in the
 * middle of a word nor in an address.
 */
const pattern =
  /(?<![\w/.@&#:!%~$-])(?:#[a-z0-9]{1,20}|CU-[a-z0-9]{1,20}|[a-z][a-z0-9_]{0,39}-\d{1,12}|T\d{1,12}|(?:bug|task|work ?item|rtcwi|defect)\s{1,4}\d{1,12})(?![\w/@-])/gi;

/** At most this many are looked for in one text. */
const most = 200;

export function findExternalIssues(text: string): Reference[] {
  const found: Reference[] = [];
  for (const { 0: whole, index } of text.matchAll(pattern)) {
    const at = { start: index, end: index + whole.length, text: whole };
    found.push({ ...at, kind: 'external_issue', place: null, value: whole });
    if (found.length === most) break;
  }
  return found;
}
