/** Keys, and what each does. */
import { Kbd } from '@mantine/core';
import ui from './ui.module.css';

export function KeysTable({ keys }: { keys: readonly (readonly [keys: string, what: string])[] }) {
  return (
    <table className={ui.table}>
      <tbody>
        {keys.map(([pressed, what]) => (
          <tr key={pressed}>
            <td>
              <Kbd>{pressed}</Kbd>
            </td>
            <td>{what}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
