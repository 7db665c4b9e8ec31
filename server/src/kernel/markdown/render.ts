/** Markdown to HTML as pieces. Pure: the same request has the same pieces, whoever reads the document. */
import { type AddressOptions, documentAddresses } from './addresses.ts';
import { escapeHtml, type Piece, sanitise } from './html/sanitise.ts';
import type { DiagramServers } from './syntax/diagrams.ts';
import { type Flavour, markdownToHtml } from './syntax/document.ts';

export interface RenderRequest extends AddressOptions {
  readonly text: string;
  readonly flavour: Flavour;
  readonly diagrams?: DiagramServers;
}

/** The text as it is written, where it cannot be rendered. */
export const plainPieces = (text: string): readonly Piece[] => [`<pre>${escapeHtml(text)}</pre>`];

export function renderPieces(request: RenderRequest): readonly Piece[] {
  let html: string;
  try {
    html = markdownToHtml(request.text, request.flavour, request.diagrams);
  } catch (error) {
    // Nested deeper than anybody writes by hand.
    if (error instanceof RangeError) return plainPieces(request.text);
    throw error;
  }
  return sanitise(html, { addresses: documentAddresses(request), references: request.flavour !== 'plain' });
}
