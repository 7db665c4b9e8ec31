/**
 * An editor of code: highlighting, line numbers, indentation, search, suggestions. Until it is loaded the text stands in a
 * plain field that takes what is typed: it is loaded when somebody turns to it, or once the page has been there for a while.
 */
import {
  type CSSProperties,
  lazy,
  type RefObject,
  Suspense,
  startTransition,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { CodeEditorProps, Left } from './CodeMirror.tsx';
import classes from './editor.module.css';

let loaded = false;
const CodeMirror = lazy(async () => {
  const editor = await import('./CodeMirror.tsx');
  loaded = true;
  return editor;
});

/** How long the page has to itself what it loads first. */
const quietFor = 2_000;
/** A longer text is slow in a plain field. */
const longest = 200_000;
/** As many lines as nobody has scrolled past yet. */
const firstLines = 100;

const digitsOf = (lines: number) => ({ '--digits': String(lines).length }) as CSSProperties;

/** The text itself, for reading, until the editor is there: on the same place, so that nothing moves. */
function Plain({ value }: { value: string }) {
  const lines = value.split('\n', firstLines);
  return (
    <pre className={classes.plain} style={digitsOf(lines.length)}>
      {lines.join('\n')}
    </pre>
  );
}

interface FieldProps extends CodeEditorProps {
  /** Where the person is in the text when the editor takes its place. */
  readonly left: RefObject<Left | null>;
  wanted(): void;
}

function Field({ label, value, autoFocus = false, change, submit, left, wanted }: FieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const shown = field.current;
    if (!shown) return;
    // As in the editor: a field of a browser begins at the end of its text.
    shown.setSelectionRange(0, 0);
    if (autoFocus) shown.focus({ preventScroll: true });
    return () => {
      const { selectionStart: from, selectionEnd: to, selectionDirection, scrollTop } = shown;
      const [anchor, head] = selectionDirection === 'backward' ? [to, from] : [from, to];
      left.current = { anchor, head, scrollTop, focused: document.activeElement === shown };
    };
  }, [autoFocus, left]);
  const lines = value.split('\n').length;
  return (
    <textarea
      ref={field}
      className={`${classes.plain} ${classes.field}`}
      style={digitsOf(lines)}
      rows={lines}
      aria-label={label}
      spellCheck={false}
      autoComplete="off"
      value={value}
      onChange={(event) => change?.(event.currentTarget.value)}
      onPointerEnter={wanted}
      onPointerDown={wanted}
      onKeyDown={(event) => {
        wanted();
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !submit) return;
        event.preventDefault();
        submit();
      }}
    />
  );
}

/** Keeps the height of the editor while that is loaded, so that nothing below it moves. */
export function CodeEditor(props: CodeEditorProps) {
  const left = useRef<Left>(null);
  const [wanted, setWanted] = useState(loaded || props.comparedWith !== undefined || props.value.length > longest);
  // The field stays, with whoever types in it, until the editor is there.
  const want = useCallback(() => startTransition(() => setWanted(true)), []);
  useEffect(() => {
    const timer = setTimeout(want, quietFor);
    return () => clearTimeout(timer);
  }, [want]);
  return (
    <div className={classes.editor} style={{ '--code-rows': props.rows ?? 8 } as CSSProperties}>
      <Suspense fallback={<Plain value={props.value} />}>
        {wanted ? <CodeMirror {...props} left={left} /> : <Field {...props} left={left} wanted={want} />}
      </Suspense>
    </div>
  );
}
