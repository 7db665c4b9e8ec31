/**
 * The one field for Markdown: toolbar, preview, files by paste and drop, and completion of people, issues, merge requests,
 * labels, milestones, emoji and quick actions. While completions are offered the field is a combobox with their list.
 */
import { Input, SegmentedControl, Textarea } from '@mantine/core';
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  useId,
  useRef,
  useState,
} from 'react';
import type { PreviewBase } from '../../lib/markdown/preview.ts';
import { FormError } from '../../ui/FormError.tsx';
import { PreviewOnDemand } from '../../ui/MarkdownOnDemand.tsx';
import { CandidateList } from './CandidateList.tsx';
import type { EditorPlace } from './candidates.ts';
import { replaceText } from './caret.ts';
import type { CommandTarget } from './commands.ts';
import classes from './editor.module.css';
import { type Format, formatted } from './formatting.ts';
import { Toolbar } from './Toolbar.tsx';
import { useCompletion } from './useCompletion.ts';
import { useUploads } from './useUploads.ts';

interface Props {
  readonly label: string;
  readonly value: string;
  change(text: string): void;
  /** Where references and uploads are of. */
  readonly place: EditorPlace;
  /** What quick actions act on; none are offered without it. */
  readonly target?: CommandTarget | undefined;
  readonly name?: string;
  readonly error?: string | undefined;
  readonly required?: boolean;
  readonly autoFocus?: boolean;
  readonly rows?: number;
  /** Of relative links in the preview, beside the place. */
  readonly base?: PreviewBase;
  /** Shown instead of the rendered text, where it is no Markdown. */
  readonly plain?: ReactNode;
  /** Further buttons beside the choice of text and preview; `write` shows the text again. */
  actions?(write: () => void): ReactNode;
}

const keys: Readonly<Record<string, Format>> = { b: 'bold', i: 'italic', k: 'link' };

export function MarkdownEditor(props: Props) {
  const {
    label,
    value,
    change,
    place,
    target,
    name,
    error,
    required,
    autoFocus,
    rows = 4,
    base,
    plain,
    actions,
  } = props;
  const [shown, setShown] = useState<'write' | 'preview'>('write');
  const field = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const completion = useCompletion(field, place, target);
  const uploads = useUploads(field, place);
  const open = completion.opened !== null && completion.offered.length > 0;

  const apply = (format: Format) => {
    const area = field.current;
    if (!area) return;
    const edit = formatted(area.value, area.selectionStart, area.selectionEnd, format);
    replaceText(area, edit.start, edit.end, edit.text);
    area.setSelectionRange(...edit.select);
    completion.close();
  };
  const press = (event: KeyboardEvent) => {
    if (completion.press(event)) return;
    const format = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey ? keys[event.key] : undefined;
    if (!format) return;
    event.preventDefault();
    event.stopPropagation();
    apply(format);
  };
  const take = (event: ClipboardEvent | DragEvent, files: FileList | undefined) => {
    if (!files || files.length === 0) return;
    event.preventDefault();
    void uploads.add([...files]);
  };
  return (
    <div className={classes.editor}>
      <Input.Label htmlFor={`${listId}-field`} required={required ?? false}>
        {label}
      </Input.Label>
      <div className={classes.head}>
        <SegmentedControl
          size="xs"
          aria-label="Text or preview"
          data={[
            { value: 'write', label: 'Write' },
            { value: 'preview', label: 'Preview' },
          ]}
          value={shown}
          onChange={(next) => setShown(next === 'preview' ? 'preview' : 'write')}
        />
        {shown === 'write' ? <Toolbar apply={apply} attach={(files) => void uploads.add(files)} /> : null}
        {actions?.(() => setShown('write'))}
      </div>
      {shown === 'preview' ? (
        <section aria-label="Preview" className={classes.preview}>
          {plain ?? <PreviewOnDemand text={value} base={{ [place.kind]: place.path, ...base }} of={place} />}
        </section>
      ) : (
        <div className={classes.field}>
          <Textarea
            ref={field}
            id={`${listId}-field`}
            {...(name ? { name } : {})}
            autosize
            minRows={rows}
            maxRows={40}
            required={required ?? false}
            autoFocus={autoFocus ?? false}
            value={value}
            error={error}
            inputWrapperOrder={['error', 'input']}
            onChange={(event) => {
              change(event.currentTarget.value);
              completion.follow();
            }}
            onSelect={completion.follow}
            onBlur={completion.close}
            onKeyDown={press}
            onPaste={(event) => take(event, event.clipboardData.files)}
            onDrop={(event) => take(event, event.dataTransfer.files)}
            aria-autocomplete="list"
            {...(open
              ? {
                  role: 'combobox',
                  'aria-expanded': true,
                  'aria-controls': listId,
                  'aria-activedescendant': `${listId}-${completion.active}`,
                }
              : {})}
          />
          {open ? <CandidateList id={listId} completion={completion} /> : null}
        </div>
      )}
      <div role="status" className={classes.status}>
        {uploads.waiting > 0 ? `Uploading ${uploads.waiting === 1 ? 'a file' : `${uploads.waiting} files`} …` : ''}
      </div>
      <FormError error={uploads.error} />
    </div>
  );
}
