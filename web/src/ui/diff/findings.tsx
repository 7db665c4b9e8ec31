/** What tools found on lines of changed files, for whatever shows these lines. */
import { createContext, type ReactNode, useContext } from 'react';
import classes from './diff.module.css';
import type { DiffLine } from './hunks.ts';

export interface LineFinding {
  readonly fingerprint: string;
  readonly severity: string;
  readonly description: string;
}

/** By path and line number. */
export type Findings = Readonly<Record<string, Readonly<Record<string, readonly LineFinding[]>>>>;

const FindingsContext = createContext<Findings>({});
export const FindingsProvider = FindingsContext.Provider;

/** What is shown below a line after the change; nothing where no report knows the line. */
export function useFindings(path: string): (line: DiffLine | null) => ReactNode {
  const all = useContext(FindingsContext);
  const lines = Object.hasOwn(all, path) ? all[path] : undefined;
  return (line) => {
    const found = lines === undefined || line?.now == null ? undefined : lines[String(line.now)];
    if (!found) return null;
    return (
      <ul className={classes.findings} aria-label={`Code quality of line ${line?.now}`}>
        {found.map(({ fingerprint, severity, description }) => (
          <li key={fingerprint}>
            <strong>Code quality ({severity})</strong> {description}
          </li>
        ))}
      </ul>
    );
  };
}
