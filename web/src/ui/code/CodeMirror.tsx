/** CodeMirror as a controlled field. Escape, then Tab, leaves it; Tab alone indents. */
import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  LanguageDescription,
  syntaxHighlighting,
} from '@codemirror/language';
import { languages } from '@codemirror/language-data';
import { unifiedMergeView } from '@codemirror/merge';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';

/** What may be typed at a place, as the completion of a language answers it. */
export interface Suggestions {
  /** Where the word begins that a suggestion replaces. */
  readonly from: number;
  readonly options: readonly { readonly label: string; readonly insert: string }[];
}

export interface CodeEditorProps {
  /** What a screen reader calls the field. */
  readonly label: string;
  readonly value: string;
  /** Path of the file: its name decides the language. */
  readonly path: string;
  /** Lines that are shown at least; 8 where nothing is said. */
  readonly rows?: number;
  readonly autoFocus?: boolean;
  /** Shown with what differs from this text, and not to be edited. */
  readonly comparedWith?: string;
  change?(text: string): void;
  /** Ctrl Enter, outside a form that takes it. */
  submit?(): void;
  suggest?(text: string, position: number): Suggestions | null;
}

/** Where a person was in the plain field that was there before. */
export interface Left {
  readonly anchor: number;
  readonly head: number;
  readonly scrollTop: number;
  readonly focused: boolean;
}

const colour = (name: string) => `var(--mr-code-${name})`;
const highlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: colour('keyword') },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: colour('string') },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.constant(tags.name)], color: colour('constant') },
  { tag: [tags.comment, tags.meta], color: colour('comment') },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.className],
    color: colour('function'),
  },
  { tag: [tags.propertyName, tags.attributeName, tags.tagName, tags.typeName], color: colour('property') },
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.link, color: 'var(--mr-link)' },
]);

const basics: Extension = [
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightActiveLine(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightSelectionMatches(),
  search({ top: true }),
  syntaxHighlighting(highlighting),
  // The names that this product uses.
  EditorState.phrases.of({ Completions: 'Suggestions' }),
];

const suggestions = (suggest: NonNullable<CodeEditorProps['suggest']>): Extension =>
  autocompletion({
    icons: false,
    activateOnTypingDelay: 0,
    interactionDelay: 0,
    override: [
      (context) => {
        const found = suggest(context.state.doc.toString(), context.pos);
        return (
          found && {
            from: found.from,
            filter: false,
            options: found.options.map(({ label, insert }) => ({ label, apply: insert })),
          }
        );
      },
    ],
  });

export default function CodeMirror(props: CodeEditorProps & { readonly left: RefObject<Left | null> }) {
  const { label, value, path, autoFocus = false, comparedWith } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const language = useRef(new Compartment());
  /**
   * The texts that this editor told and that have not come back as `value`, the last one that has before them: who types faster
   * than the page draws gets an older text back, which is not to take the place of what was typed since.
   */
  const told = useRef([value]);
  const change = useEffectEvent((text: string) => {
    told.current.push(text);
    props.change?.(text);
  });
  const submit = useEffectEvent(() => {
    props.submit?.();
    // Also where a form around the field sends: never a blank line.
    return true;
  });
  const suggest = useEffectEvent((text: string, position: number) => props.suggest?.(text, position) ?? null);
  const begin = useEffectEvent((parent: HTMLElement) => {
    const frozen = comparedWith !== undefined;
    const left = props.left.current;
    // The field has one character for what ends a line, as the editor has, and knows no others.
    const { length } = value.replaceAll('\r\n', '\n');
    const created = new EditorView({
      parent,
      state: EditorState.create({
        doc: value,
        ...(left ? { selection: { anchor: Math.min(left.anchor, length), head: Math.min(left.head, length) } } : {}),
        extensions: [
          keymap.of([
            { key: 'Mod-Enter', run: () => submit() },
            // The browser's own search finds only the lines that are drawn.
            ...searchKeymap,
            ...closeBracketsKeymap,
            ...completionKeymap,
            ...(props.suggest ? [{ key: 'Tab', run: acceptCompletion }] : []),
            ...historyKeymap,
            indentWithTab,
            ...defaultKeymap,
          ]),
          basics,
          language.current.of([]),
          // Also where it is only read, the keyboard reaches it and scrolls it.
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((each) => each.isUserEvent('replaced')))
              change(update.state.doc.toString());
          }),
          props.suggest ? suggestions(suggest) : [],
          frozen
            ? [EditorState.readOnly.of(true), unifiedMergeView({ original: comparedWith, mergeControls: false })]
            : [],
        ],
      }),
    });
    view.current = created;
    told.current = [value];
    if (left ? left.focused : autoFocus) created.focus();
    if (left) created.scrollDOM.scrollTop = left.scrollTop;
    return created;
  });
  // Before anything else happens: whoever types goes on typing here.
  useLayoutEffect(() => {
    if (!place.current) return;
    const created = begin(place.current);
    return () => {
      view.current = null;
      created.destroy();
    };
  }, []);
  useEffect(() => {
    let current = true;
    const found = LanguageDescription.matchFilename(languages, path.slice(path.lastIndexOf('/') + 1));
    // Highlighting is a help: a language that cannot be loaded leaves plain text.
    const loaded = found ? found.load().catch(() => null) : Promise.resolve(null);
    void loaded.then((support) => {
      if (current) view.current?.dispatch({ effects: language.current.reconfigure(support ?? []) });
    });
    return () => {
      current = false;
    };
  }, [path]);
  useEffect(() => {
    view.current?.contentDOM.setAttribute('aria-label', label);
  }, [label]);
  useEffect(() => {
    const shown = view.current;
    if (!shown) return;
    const own = told.current.lastIndexOf(value);
    if (own !== -1) {
      told.current.splice(0, own);
      return;
    }
    told.current = [value];
    shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert: value }, userEvent: 'replaced' });
  }, [value]);
  return <div ref={place} />;
}
