/** Files that are pasted, dropped or chosen: stored, and referred to where the caret was. */
import { type RefObject, useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import type { EditorPlace } from './candidates.ts';
import { replaceText } from './caret.ts';

/** Stores a file of a text; the Markdown that shows it. */
async function uploadFile({ kind, path }: EditorPlace, file: File): Promise<string> {
  const form = new FormData();
  form.append('file', file);
  const request = { params: { path: { id: path } }, body: { file: '' }, bodySerializer: () => form };
  const { markdown } =
    kind === 'project'
      ? await unwrap(client.POST('/projects/{id}/uploads', request))
      : await unwrap(client.POST('/groups/{id}/uploads', request));
  return markdown;
}

export function useUploads(field: RefObject<HTMLTextAreaElement | null>, place: EditorPlace) {
  const [waiting, setWaiting] = useState(0);
  const [error, setError] = useState<Error | null>(null);

  /** Replaces the text that stands for a file, wherever it is by now. */
  const settle = (mark: string, text: string) => {
    const area = field.current;
    const at = area?.value.indexOf(mark) ?? -1;
    if (!area || at < 0) return;
    const [from, to] = [area.selectionStart, area.selectionEnd];
    replaceText(area, at, at + mark.length, text);
    const moved = (place: number) => (place > at ? Math.max(at, place + text.length - mark.length) : place);
    area.setSelectionRange(moved(from), moved(to));
  };
  const add = async (files: readonly File[]): Promise<void> => {
    setError(null);
    for (const file of files) {
      const area = field.current;
      if (!area) return;
      // Distinct from what other files of the name stand for.
      const mark = `[Uploading ${file.name.replaceAll(/[[\]\n]/g, '')} ${crypto.randomUUID().slice(0, 4)}…]()`;
      replaceText(area, area.selectionStart, area.selectionEnd, mark);
      setWaiting((count) => count + 1);
      try {
        settle(mark, await uploadFile(place, file));
      } catch (cause) {
        settle(mark, '');
        setError(cause instanceof Error ? cause : new Error(String(cause)));
      } finally {
        setWaiting((count) => count - 1);
      }
    }
  };
  return { waiting, error, add };
}
