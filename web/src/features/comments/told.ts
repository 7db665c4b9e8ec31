/** What became of the quick actions in a comment, as the API tells it. */

/** Sentences of the answer: of the comment, of the first one of a thread, or of the commands alone. */
export function toldOf(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null) return '';
  if ('notes' in answer && Array.isArray(answer.notes)) return toldOf(answer.notes[0]);
  return 'summary' in answer && Array.isArray(answer.summary) ? answer.summary.join(' ') : '';
}
