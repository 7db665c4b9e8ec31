/** Keys, and what each does. */
import { Kbd, Table } from '@mantine/core';

export function KeysTable({ keys }: { keys: readonly (readonly [keys: string, what: string])[] }) {
  return (
    <Table>
      <Table.Tbody>
        {keys.map(([pressed, what]) => (
          <Table.Tr key={pressed}>
            <Table.Td>
              <Kbd>{pressed}</Kbd>
            </Table.Td>
            <Table.Td>{what}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
