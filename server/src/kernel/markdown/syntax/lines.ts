/** Lines of a text that is read from somewhere in its middle. */

/** Where the next line begins that starts like this; what is given begins in the middle of a line. */
export function nextLine(source: string, beginning: string): number | undefined {
  const at = source.indexOf(`\n${beginning}`);
  return at < 0 ? undefined : at + 1;
}
