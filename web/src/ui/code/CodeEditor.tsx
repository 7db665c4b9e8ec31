/** An editor of code: highlighting, line numbers, indentation, search, suggestions. Loaded when first shown. */
import { type CSSProperties, lazy, Suspense } from 'react';
import type { CodeEditorProps } from './CodeMirror.tsx';
import classes from './editor.module.css';

const CodeMirror = lazy(() => import('./CodeMirror.tsx'));

/** As many lines as nobody has scrolled past yet. */
const firstLines = 100;

/** The text itself, for reading, until the editor is there: on the same place, so that nothing moves. */
function Plain({ value }: { value: string }) {
  const lines = value.split('\n', firstLines);
  return (
    <pre className={classes.plain} style={{ '--digits': String(lines.length).length } as CSSProperties}>
      {lines.join('\n')}
    </pre>
  );
}

/** Keeps the height of the editor while that is loaded, so that nothing below it moves. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <div className={classes.editor} style={{ '--code-rows': props.rows ?? 8 } as CSSProperties}>
      <Suspense fallback={<Plain value={props.value} />}>
        <CodeMirror {...props} />
      </Suspense>
    </div>
  );
}
