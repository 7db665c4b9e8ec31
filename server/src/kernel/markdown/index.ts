/**
 * Markdown as HTML: the one renderer of the API and the pages. A thread makes pieces of a text, which are kept; what depends on
 * the reader or on a key is put in here: links of words that name something, and addresses of images from elsewhere.
 */
import { createHash } from 'node:crypto';
import type { Caller } from '../authz/subjects.ts';
import type { ParentLoader } from '../http/parents.ts';
import type { ImageAddresses, Images } from '../images/index.ts';
import type { Settings } from '../settings/index.ts';
import type { Logger } from '../telemetry/index.ts';
import type { DocumentBase } from './addresses.ts';
import { escapeHtml, type Piece } from './html/sanitise.ts';
import { moving, wordsElsewhere } from './moving.ts';
import { type OwnPlace, placeOf } from './places.ts';
import { createRenderPool } from './pool.ts';
import type { Reference, ReferenceKindName } from './references.ts';
import { plainPieces, type RenderRequest } from './render.ts';
import { diagramServers } from './syntax/diagrams.ts';
import type { Flavour } from './syntax/document.ts';
import { type FoundTarget, type ReferenceKind, type ReferenceTarget, targetFinder } from './targets.ts';

export type { DocumentBase } from './addresses.ts';
export { baseOf, isMarkdownFile, wikiBaseOf } from './bases.ts';
export { escapeHtml } from './html/sanitise.ts';
export type { OwnPlace } from './places.ts';
export { mentionsIn, namesNothing, referencesIn } from './references.ts';
export { emojiCharacters, keptEmojiName } from './syntax/emoji.ts';
export type { ReferenceKind, ReferenceTarget } from './targets.ts';

export interface Rendering {
  /** Who reads: links name only what they may see. */
  readonly caller: Caller;
  /** What relative addresses and short references are of; null for a text that belongs to nothing. */
  readonly base: DocumentBase | null;
  readonly flavour?: Flavour;
  /** Whether addresses of this instance begin with its URL, for those who show the result elsewhere. */
  readonly absolute?: boolean;
}

export interface Markdown {
  /** HTML without anything that runs or loads from elsewhere. */
  html(text: string, rendering: Rendering): Promise<string>;
  /** The text as another place writes it: what is named in short words is named so that they lead there from that place. */
  moved(text: string, from: Pick<Rendering, 'caller' | 'base'>, to: OwnPlace): Promise<string>;
  /** What texts may name; called once, by the composition root. */
  knows(kinds: readonly ReferenceKind[]): void;
  close(): Promise<void>;
}

export interface MarkdownDependencies {
  /** Without a trailing slash. */
  readonly externalUrl: string;
  readonly images: Pick<Images, 'addresses'>;
  readonly settings: Pick<Settings, 'read'>;
  readonly parents: () => Pick<ParentLoader, 'project' | 'group'>;
  readonly log: Pick<Logger, 'error'>;
}

/** Blocks of code in some language. */
const mayHaveDiagrams = /^[ \t>*+-]*(?:```|~~~)[ \t]*[a-z]/m;
/** Longer texts are shown as they are: rendering has a budget. */
const maximumLength = 512 * 1024;
/** Characters of a title that stands in a text. */
const longestTitle = 50;
/** Characters of rendered texts that are kept. */
const maximumKept = 8 * 1024 * 1024;

/** Rendered texts by request, the least recently used first. */
function createKept() {
  const kept = new Map<string, { readonly pieces: readonly Piece[]; readonly size: number }>();
  let total = 0;
  return {
    get(key: string): readonly Piece[] | undefined {
      const found = kept.get(key);
      if (!found) return undefined;
      kept.delete(key);
      kept.set(key, found);
      return found.pieces;
    },
    set(key: string, pieces: readonly Piece[]): void {
      const size = pieces.reduce((sum, piece) => sum + (typeof piece === 'string' ? piece.length : 200), 100);
      if (size > maximumKept / 4 || kept.has(key)) return;
      kept.set(key, { pieces, size });
      total += size;
      for (const [oldest, { size: freed }] of kept) {
        if (total <= maximumKept) break;
        kept.delete(oldest);
        total -= freed;
      }
    },
  };
}

const keyOf = (request: RenderRequest): string =>
  createHash('sha256').update(JSON.stringify(request)).digest('base64url');

export function createMarkdown(deps: MarkdownDependencies): Markdown {
  const { externalUrl } = deps;
  const pool = createRenderPool(deps.log);
  const kept = createKept();
  const kinds = new Map<ReferenceKindName, ReferenceKind>();
  const targetsOf = targetFinder(deps.parents);

  async function piecesOf(request: RenderRequest): Promise<readonly Piece[]> {
    if (request.text.trim() === '') return [];
    if (request.text.length > maximumLength) return plainPieces(request.text);
    const key = keyOf(request);
    const known = kept.get(key);
    if (known) return known;
    // What was too much once is not tried again.
    const pieces = (await pool.render(request)) ?? plainPieces(request.text);
    kept.set(key, pieces);
    return pieces;
  }

  /** A label as its colour and parts; the colours are the server's own words. */
  const chip = ({ color, textColor, parts }: NonNullable<ReferenceTarget['label']>): string =>
    parts
      .map((part, at) =>
        at > 0
          ? `<span class="gfm-label-scoped" style="border-color: ${escapeHtml(color)}">${escapeHtml(part)}</span>`
          : `<span class="gfm-label-text" style="background-color: ${escapeHtml(color)}; color: ${escapeHtml(textColor)}">${escapeHtml(part)}</span>`,
      )
      .join('');

  /** A name of a commit as people read it: hashes by their beginning. */
  const shown = (text: string, kind: ReferenceKindName): string => {
    if (kind !== 'commit' && kind !== 'commit_range') return text;
    const hash = text.lastIndexOf('@') + 1;
    return text.slice(0, hash) + text.slice(hash).replaceAll(/[0-9a-f]{9,}/gi, (each) => each.slice(0, 8));
  };

  /** `#1`, `#1 (closed)`, and as `#1+` asks: `The title (#1 - closed)`, as `#1+s` with more behind it. */
  const worded = (
    { text, format }: Pick<Reference, 'text' | 'format'>,
    { title, state, summary = [], kind }: FoundTarget,
  ): string => {
    const name = shown(format ? text.slice(0, -format.length) : text, kind);
    const passed = state === 'opened' ? undefined : state;
    if (!format || state === undefined) return passed ? `${name} (${passed})` : name;
    const short = title.length > longestTitle ? `${title.slice(0, longestTitle - 1)}…` : title;
    const titled = `${short} (${name}${passed ? ` - ${passed}` : ''})`;
    return format === '+s' ? [titled, ...summary].join(' • ') : titled;
  };

  const link = (
    { reference, anchor = '' }: Extract<Piece, { reference: unknown }>,
    target: FoundTarget,
    before: string,
  ): string => {
    const { path, elsewhere, title, label, kind } = target;
    const attributes = elsewhere ? ' rel="nofollow noopener noreferrer"' : '';
    const format = reference.format ? ` data-reference-format="${reference.format}"` : '';
    const words = label ? chip(label) : escapeHtml(worded(reference, target));
    return `<a href="${escapeHtml(elsewhere ? path : before + path + anchor)}"${attributes} title="${escapeHtml(title)}" class="gfm gfm-${kind}" data-reference-type="${kind}"${format}>${words}</a>`;
  };

  function image(piece: Extract<Piece, { image: string }>, addressOf: ImageAddresses, before: string): string {
    const found = addressOf(piece.image);
    const address = found?.startsWith('/') ? before + found : found;
    const shown = escapeHtml(piece.alt || piece.image);
    if (address !== null)
      return `<img src="${escapeHtml(address)}" alt="${escapeHtml(piece.alt)}"${piece.attributes} loading="lazy" data-canonical-src="${escapeHtml(piece.image)}">`;
    if (piece.inLink) return shown;
    return `<a href="${escapeHtml(piece.image)}" rel="nofollow noopener noreferrer">${shown}</a>`;
  }

  return {
    knows: (all) => {
      for (const each of all) kinds.set(each.kind, each);
    },
    html: async (text, { caller, base, flavour = 'full', absolute = false }) => {
      const diagrams = mayHaveDiagrams.test(text) ? { diagrams: diagramServers(await deps.settings.read()) } : {};
      const pieces = await piecesOf({ text, base, flavour, absolute, externalUrl, ...diagrams });
      if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('');
      const references = pieces.flatMap((piece) =>
        typeof piece === 'object' && 'reference' in piece ? [piece.reference] : [],
      );
      const [targetOf, addressOf] = await Promise.all([
        references.length === 0 ? () => undefined : targetsOf(kinds, references, placeOf(base), caller),
        deps.images.addresses(),
      ]);
      const before = absolute ? externalUrl : '';
      return pieces
        .map((piece) => {
          if (typeof piece === 'string') return piece;
          if ('image' in piece) return image(piece, addressOf, before);
          const target = targetOf(piece.reference);
          return target ? link(piece, target, before) : (piece.instead ?? escapeHtml(piece.reference.text));
        })
        .join('');
    },
    moved: async (text, { caller, base }, to) => {
      const change = moving(text);
      if (change.references.length === 0 || text.length > maximumLength) return text;
      const targetOf = await targetsOf(kinds, change.references, placeOf(base), caller);
      const words = change.references.map((reference) => wordsElsewhere(reference, targetOf(reference), to));
      if (words.every((word, at) => word === change.references[at]?.text)) return text;
      const request = { text: change.probe, base, flavour: 'full', absolute: false, externalUrl } as const;
      return change.with(words, (await pool.render(request)) ?? []);
    },
    close: pool.close,
  };
}
