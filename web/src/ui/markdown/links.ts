/** Links in place of words that name a merge request, a commit or a person. */
import type { DocumentBase } from '../../lib/markdown/addresses.ts';
import { lookUp, referenceKey, type Target } from '../../lib/markdown/lookup.ts';
import { findReferences, type Reference } from '../../lib/markdown/references.ts';

interface Place {
  readonly node: Text;
  readonly references: readonly Reference[];
}

const projectOf = (base: DocumentBase): string | null =>
  'wiki' in base ? (base.wiki === 'project' ? base.place : null) : base.project;

/** Texts outside links and code, with what they name. */
function placesOf(root: HTMLElement): Place[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement?.closest('a, code, pre, math') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  const places: Place[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const references = findReferences(node.nodeValue ?? '');
    if (references.length > 0) places.push({ node: node as Text, references });
  }
  return places;
}

function link(text: string, { address, title }: Target): HTMLAnchorElement {
  const made = document.createElement('a');
  made.setAttribute('href', address);
  made.setAttribute('title', title);
  made.textContent = text;
  return made;
}

export async function linkReferences(root: HTMLElement, base: DocumentBase, signal: AbortSignal): Promise<void> {
  const places = placesOf(root);
  if (places.length === 0) return;
  const own = projectOf(base);
  const targets = await lookUp(
    places.flatMap(({ references }) => references),
    own,
  );
  if (signal.aborted) return;
  for (const { node, references } of places) {
    const text = node.nodeValue ?? '';
    const parts: (Node | string)[] = [];
    let at = 0;
    for (const reference of references) {
      const target = targets.get(referenceKey(reference, own));
      if (!target) continue;
      parts.push(text.slice(at, reference.start), link(text.slice(reference.start, reference.end), target));
      at = reference.end;
    }
    if (parts.length > 0) node.replaceWith(...parts, text.slice(at));
  }
}
