/** Which files are documents, and which one introduces a folder. */

export const isMarkdown = (name: string): boolean => /\.(md|markdown|mdown|mkdn?)$/i.test(name);

/** Names of READMEs, the ones that are rendered first; others are shown as text. */
const readmes = [
  /^readme\.(md|markdown|mdown|mkdn?)$/i,
  /^readme\.(rst|adoc|asciidoc|org|rdoc|textile|creole|mediawiki|wiki|pod)$/i,
  /^readme(\.txt)?$/i,
  /^index\.(md|markdown)$/i,
];

export function readmeOf<T extends { readonly name: string; readonly type: string }>(entries: readonly T[]): T | null {
  for (const pattern of readmes) {
    const found = entries.find((entry) => entry.type === 'blob' && pattern.test(entry.name));
    if (found) return found;
  }
  return null;
}
