/** The header under which a browser saves an answer instead of showing it. */

/** `Content-Disposition` with a name for the browser; whatever somebody called the file. */
export function attachment(filename: string): string {
  const plain = filename.replace(/[^A-Za-z0-9._ -]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(filename.toWellFormed())}`;
}
