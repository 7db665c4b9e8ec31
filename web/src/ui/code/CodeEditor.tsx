/** An editor of code: highlighting, line numbers, indentation, search, suggestions. Loaded when first shown. */
import { type CSSProperties, lazy, Suspense } from 'react';
import type { CodeEditorProps } from './CodeMirror.tsx';
import classes from './editor.module.css';

const CodeMirror = lazy(() => import('./CodeMirror.tsx'));

/** Keeps the height of the editor while that is loaded, so that nothing below it moves. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <div className={classes.editor} style={{ '--code-rows': props.rows ?? 8 } as CSSProperties}>
      <Suspense fallback={null}>
        <CodeMirror {...props} />
      </Suspense>
    </div>
  );
}
