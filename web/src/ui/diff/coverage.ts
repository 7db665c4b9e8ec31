/** How often the lines of changed files ran, for whatever shows these lines. */
import { createContext, useContext } from 'react';

/** By path and line number. */
type Coverage = Readonly<Record<string, Readonly<Record<string, number>>>>;

const CoverageContext = createContext<Coverage>({});
export const CoverageProvider = CoverageContext.Provider;

interface CoveredLine {
  readonly 'data-covered'?: 'yes' | 'no';
  readonly title?: string;
}

/** Attributes of the cell with the number of a line after the change; none where no report knows the line. */
export function useCoverage(path: string): (line: number | null) => CoveredLine {
  const all = useContext(CoverageContext);
  const lines = Object.hasOwn(all, path) ? all[path] : undefined;
  return (line) => {
    const hits = line === null ? undefined : lines?.[String(line)];
    if (hits === undefined) return {};
    if (hits === 0) return { 'data-covered': 'no', title: 'Not covered by tests' };
    return { 'data-covered': 'yes', title: `Covered by tests (${hits} ${hits === 1 ? 'hit' : 'hits'})` };
  };
}
