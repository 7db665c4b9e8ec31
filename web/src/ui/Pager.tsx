/** Page by page, with the place in the address. */
import { Button, Group } from '@mantine/core';

export function Pager({ page, nextPage, go }: { page: number; nextPage: number | null; go: (page: number) => void }) {
  if (page === 1 && nextPage === null) return null;
  return (
    <Group mt="md" justify="center" component="nav" aria-label="Pages">
      <Button variant="default" size="xs" disabled={page === 1} onClick={() => go(page - 1)}>
        Newer
      </Button>
      <span>Page {page}</span>
      <Button variant="default" size="xs" disabled={nextPage === null} onClick={() => nextPage && go(nextPage)}>
        Older
      </Button>
    </Group>
  );
}
