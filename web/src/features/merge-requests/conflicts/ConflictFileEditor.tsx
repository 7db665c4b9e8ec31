/** One file of a conflict: its sections with a choice each, its text to edit, or the whole file of one side. */
import { Button, Group, Radio, SegmentedControl } from '@mantine/core';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import type { Schemas } from '../../../lib/api.ts';
import type { Resolution } from '../../../lib/conflicts.ts';
import { CodeEditor } from '../../../ui/code/CodeEditor.tsx';
import classes from './conflicts.module.css';
import { type Choice, conflictSections, resolvedText } from './sections.ts';

type File = Schemas['ConflictFile'];
type Way = 'sections' | 'text' | 'source' | 'target';

interface Props {
  readonly file: File;
  change(resolution: Resolution | null): void;
}

/** The file as one branch has it; where that has removed it, it is removed. */
const sideOf = (file: File, side: 'source' | 'target'): Resolution =>
  (side === 'source' ? file.source_content : file.target_content) === null
    ? { path: file.path, delete: true }
    : { path: file.path, side };

export function ConflictFileEditor({ file, change }: Props) {
  const sections = useMemo(() => conflictSections(file.content ?? ''), [file.content]);
  const [way, setWay] = useState<Way | null>(file.content === null ? null : 'sections');
  const [choices, setChoices] = useState<readonly (Choice | undefined)[]>([]);
  const [text, setText] = useState(file.content ?? '');
  const resolution = useMemo((): Resolution | null => {
    if (way === 'source' || way === 'target') return sideOf(file, way);
    const content = way === 'text' ? text : way === 'sections' ? resolvedText(sections, choices) : null;
    return content === null || /^(<{7}|>{7}) /m.test(content) ? null : { path: file.path, content };
  }, [way, file, text, sections, choices]);
  const report = useEffectEvent(change);
  useEffect(() => report(resolution), [resolution]);
  let at = 0;
  return (
    <section className={classes.file} aria-label={file.path}>
      <div className={classes.head}>
        <code>{file.path}</code>
        <SegmentedControl
          size="xs"
          aria-label={`Resolution of ${file.path}`}
          data={[
            ...(file.content === null
              ? []
              : [
                  { value: 'sections', label: 'By section' },
                  { value: 'text', label: 'Edit text' },
                ]),
            { value: 'source', label: file.source_content === null ? 'Delete (source)' : 'Use source' },
            { value: 'target', label: file.target_content === null ? 'Delete (target)' : 'Use target' },
          ]}
          value={way ?? ''}
          onChange={(value) => setWay(value as Way)}
        />
      </div>
      {way === 'text' ? (
        <CodeEditor label={`Text of ${file.path}`} path={file.path} rows={6} value={text} change={setText} />
      ) : null}
      {way === 'sections'
        ? sections.map((section, index) => {
            if (section.kind === 'same')
              return (
                <pre key={index} className={classes.lines}>
                  {section.lines.slice(-3).join('\n')}
                </pre>
              );
            const own = at++;
            return (
              <Radio.Group
                key={index}
                className={classes.conflict}
                aria-label={`Conflict ${own + 1} in ${file.path}`}
                value={choices[own] ?? ''}
                onChange={(value) =>
                  setChoices((before) => {
                    const next = [...before];
                    next[own] = value as Choice;
                    return next;
                  })
                }
              >
                <pre className={classes.lines} data-side="source">
                  {section.source.join('\n')}
                </pre>
                <pre className={classes.lines} data-side="target">
                  {section.target.join('\n')}
                </pre>
                <Group gap="md" p={8}>
                  <Radio value="source" label="Use source" />
                  <Radio value="target" label="Use target" />
                  <Radio value="both" label="Use both" />
                </Group>
              </Radio.Group>
            );
          })
        : null}
      {way === null ? <p className={classes.hint}>Choose which version of the file to keep.</p> : null}
      {way === 'text' ? (
        <Button size="compact-xs" variant="subtle" onClick={() => setText(file.content ?? '')}>
          Reset text
        </Button>
      ) : null}
    </section>
  );
}
