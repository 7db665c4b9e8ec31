/** Which files of a merge request somebody has viewed, kept in their browser until the files change. */
import { useLocalStorage } from '@mantine/hooks';
import { useCallback } from 'react';
import type { Schemas } from '../../../lib/api.ts';

type File = Pick<Schemas['FileDiff'], 'new_path' | 'diff' | 'a_mode' | 'b_mode'>;

/** A short hash (FNV-1a) of what a file changes: another one where the file has changed since. */
export function changeHash({ diff, a_mode, b_mode }: File): string {
  let hash = 0x811c9dc5;
  for (const text of [a_mode, b_mode, diff])
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return `${diff.length.toString(36)}-${hash.toString(36)}`;
}

export function useViewed(projectId: number, iid: number) {
  const [marks, setMarks] = useLocalStorage<Record<string, string>>({
    key: `millrace-viewed-${projectId}-${iid}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const isViewed = useCallback(
    (file: File) => {
      const mark = marks[file.new_path];
      // Most files have none: their changes are not read through.
      return mark !== undefined && mark === changeHash(file);
    },
    [marks],
  );
  const setViewed = useCallback(
    (file: File, viewed: boolean) =>
      setMarks((before) => {
        const { [file.new_path]: _, ...others } = before;
        return viewed ? { ...others, [file.new_path]: changeHash(file) } : others;
      }),
    [setMarks],
  );
  return { isViewed, setViewed };
}
