/** Patterns of `like`. */

/** Matches what contains the text, whatever signs are in it. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
