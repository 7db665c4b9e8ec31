/** A file of rows and columns (CSV, TSV) as a table; its first row names the columns. */
import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { readTable } from '../../lib/tables.ts';
import classes from './files.module.css';

export function TextTableView({ name, text, separator }: { name: string; text: string; separator: ',' | '\t' | ';' }) {
  const { rows, more } = useMemo(() => readTable(text, separator), [text, separator]);
  const [head = [], ...body] = rows;
  return (
    <>
      <div className={classes.sheet} tabIndex={0} role="region" aria-label={`Table of ${name}`}>
        <table>
          <thead>
            <tr>
              {head.map((cell, at) => (
                <th key={`${at}:${cell}`} scope="col">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {body.map((row, index) => (
              <tr key={`${index}:${row[0]}`}>
                {row.map((cell, at) => (
                  <td key={`${at}:${cell}`}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more ? (
        <Text c="var(--mr-dim)" p="sm">
          Only some rows and columns are shown. View the source for all of them.
        </Text>
      ) : null}
    </>
  );
}
