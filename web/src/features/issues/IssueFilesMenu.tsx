/** Issues as files: the ones that the list finds by mail, as a feed or a calendar, and new ones out of a file. */
import { Button, FileInput, Group, Menu, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { IssueFilter } from '../../lib/issue-filters.ts';
import { exportIssues, importIssues, issueCounts } from '../../lib/issues.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { type MenuButton, useOpensAtOnce } from '../../ui/onDemand.tsx';
import { FeedItem } from '../feeds/FeedItem.tsx';
import { useProject } from '../projects/useProject.ts';

interface Props {
  readonly filter: IssueFilter;
  /** Whether the person may create issues out of a file. */
  readonly imports: boolean;
  readonly target: MenuButton;
}

export default function IssueFilesMenu({ filter, imports, target }: Props) {
  const [shown, setShown] = useState(false);
  const button = useOpensAtOnce(target, () => setShown(true));
  const [open, setOpen] = useState<'export' | 'import' | null>(null);
  const close = () => setOpen(null);
  const { project } = useProject();
  const { page: _page, sort: _sort, ...given } = filter;
  const subscription = (format: 'atom' | 'ics') => ({
    ...{ path: `/${project.path_with_namespace}/-/issues.${format}`, query: given },
  });
  return (
    <>
      <Menu position="bottom-end" withinPortal opened={shown} onChange={setShown}>
        <Menu.Target>{button}</Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setOpen('export')}>Export as CSV</Menu.Item>
          {imports ? <Menu.Item onClick={() => setOpen('import')}>Import CSV</Menu.Item> : null}
          <Menu.Divider />
          <FeedItem {...subscription('atom')}>Subscribe to feed</FeedItem>
          <FeedItem {...subscription('ics')}>Subscribe to calendar</FeedItem>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={open === 'export'} onClose={close} title="Export issues">
        <ExportForm filter={filter} close={close} />
      </Modal>
      <Modal opened={open === 'import'} onClose={close} title="Import issues">
        <ImportForm close={close} />
      </Modal>
    </>
  );
}

interface DialogProps {
  close(): void;
}

const Close = ({ close }: DialogProps) => (
  <Group justify="flex-end">
    <Button data-autofocus onClick={close}>
      Close
    </Button>
  </Group>
);

function ExportForm({ filter, close }: DialogProps & { readonly filter: IssueFilter }) {
  const { path } = useProject();
  const { data: counts } = useQuery(issueCounts(path, filter));
  const sending = useMutation({ mutationFn: () => exportIssues(path, filter) });
  const state = filter.state === 'closed' || filter.state === 'all' ? filter.state : 'opened';
  const count = counts?.[state];
  if (sending.isSuccess)
    return (
      <Stack gap="md">
        <Text role="status">The export has started. The file will be sent to your notification email address.</Text>
        <Close close={close} />
      </Stack>
    );
  return (
    <Stack gap="md">
      <FormError error={sending.error} />
      <Text>
        {count === undefined ? 'The issues' : count === 1 ? '1 issue' : `${count} issues`} that the list shows will be
        sent as a CSV file to your notification email address.
      </Text>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button data-autofocus loading={sending.isPending} onClick={() => sending.mutate()}>
          Export issues
        </Button>
      </Group>
    </Stack>
  );
}

function ImportForm({ close }: DialogProps) {
  const { path } = useProject();
  const [file, setFile] = useState<File | null>(null);
  const sending = useForm(async () => {
    if (file) await importIssues(path, file);
  });
  if (sending.done)
    return (
      <Stack gap="md">
        <Text role="status">
          The import has started. You will receive an email with the rows that could not be imported.
        </Text>
        <Close close={close} />
      </Stack>
    );
  return (
    <form {...sending.form} aria-label="Import issues">
      <Stack gap="md">
        <FormError error={sending.error} />
        <FileInput
          label="CSV file"
          description="At most 10 MiB. Columns: title and description; optional: due_date, milestone, type"
          placeholder="Choose a file"
          accept=".csv,text/csv"
          required
          value={file}
          onChange={setFile}
          error={sending.reason('file')}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={sending.pending} disabled={file === null}>
            Import issues
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
