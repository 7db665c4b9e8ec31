/** Contents of files, to be edited and back. */
import { describe, expect, it } from 'vitest';
import { editableText, withEndsOf } from './content.ts';

const base64 = (...bytes: number[]) => btoa(String.fromCharCode(...bytes));

describe('contents', () => {
  it('are edited only where the same bytes come out again', () => {
    expect(editableText(base64(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa');
    expect(editableText(base64(0x61, 0xe9))).toBeNull();
    expect(editableText(base64(0x61, 0))).toBeNull();
  });

  it('keep their ends of lines', () => {
    expect(withEndsOf('a\r\nb', 'a\nc\n')).toBe('a\r\nc\r\n');
    expect(withEndsOf('a\nb', 'a\nc\n')).toBe('a\nc\n');
  });
});
