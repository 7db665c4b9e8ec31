/** Who changed which lines of a file last. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo, useRef } from 'react';
import { blameOf } from '../../lib/repository.ts';
import { CodeLine } from '../../ui/code/CodeLine.tsx';
import { useHighlight } from '../../ui/code/highlight.ts';
import { clickedLine, moveByLine } from '../../ui/code/LineNumber.tsx';
import { languageOf } from '../../ui/code/languages.ts';
import { useLineHash } from '../../ui/code/useLineHash.ts';
import { linesWithHidden, placesOf } from '../../ui/hidden/characters.ts';
import { HiddenAlert } from '../../ui/hidden/HiddenAlert.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './blame.module.css';
import files from './files.module.css';
import { PathBar } from './PathBar.tsx';
import { usePlace } from './refs.ts';

export default function BlamePage() {
  const { _splat = '' } = useParams({ strict: false });
  const { project, path, segment, warn } = useProject();
  const place = usePlace(_splat);
  const { data: ranges } = useSuspenseQuery(blameOf(path, place.ref, place.path));
  const name = place.path.split('/').at(-1) ?? '';
  const all = useMemo(() => ranges.flatMap((range) => range.lines), [ranges]);
  const text = useMemo(() => all.join('\n'), [all]);
  const hidden = useMemo(() => (warn ? linesWithHidden(all) : []), [warn, all]);
  const tokens = useHighlight(text, languageOf(name));
  const container = useRef<HTMLDivElement>(null);
  const { range: chosen, choose } = useLineHash(container, true);
  const starts = useMemo(() => {
    let line = 1;
    return ranges.map((range) => {
      const start = line;
      line += range.lines.length;
      return start;
    });
  }, [ranges]);
  return (
    <Page title={`Blame ${name} · ${project.name_with_namespace}`} heading={`Blame of ${name}`} wide quiet>
      <PathBar place={place}>
        <LinkButton to="/p/$path/blob/$" params={{ path: segment, _splat: `${place.ref}/${place.path}` }}>
          File
        </LinkButton>
      </PathBar>
      <HiddenAlert places={placesOf(hidden)} lines={hidden.map(({ line }) => line)} />
      <div
        className={`${files.box} ${classes.view}`}
        ref={container}
        tabIndex={0}
        role="region"
        aria-label={`Blame of ${name}`}
        onClick={(event) => {
          const line = clickedLine(event);
          if (line !== undefined) choose(line, event.shiftKey);
        }}
        onKeyDown={moveByLine}
      >
        {ranges.map(({ commit, lines }, index) => {
          const start = starts[index] ?? 1;
          return (
            <div key={start} className={classes.range}>
              <div className={classes.commit}>
                <Link
                  to="/p/$path/commit/$sha"
                  params={{ path: segment, sha: commit.id }}
                  className={classes.title}
                  title={`${commit.author_name}: ${commit.message.split('\n', 1)[0]}`}
                  data-entry
                >
                  <strong>{commit.author_name}</strong> {commit.message.split('\n', 1)[0]}
                </Link>
                <TimeAgo at={commit.committed_date} />
              </div>
              <div className={classes.lines}>
                {lines.map((line, at) => {
                  const number = start + at;
                  const isChosen = chosen !== null && number >= chosen.from && number <= chosen.to;
                  return (
                    <CodeLine
                      key={number}
                      number={number}
                      text={line}
                      tokens={tokens?.[number - 1]}
                      chosen={isChosen}
                      stop={number === (chosen?.from ?? 1)}
                      marked={hidden.length > 0}
                    />
                  );
                })}
              </div>
            </div>
          );
        })}
      </div>
    </Page>
  );
}
