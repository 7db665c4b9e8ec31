/** User-written patterns, in linear time. */
import { RE2JS } from 're2js';

/** A matcher for a regular expression of RE2's syntax; null when it is not one. */
export function linearPattern(source: string): ((text: string) => boolean) | null {
  try {
    const compiled = RE2JS.compile(source);
    return (text) => compiled.matcher(text).find();
  } catch {
    return null;
  }
}
