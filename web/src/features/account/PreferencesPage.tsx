/** How the page looks and behaves: what this browser keeps, and what the account keeps. */
import { Checkbox, Input, SegmentedControl, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import * as accounts from '../../lib/accounts.ts';
import { client, unwrap } from '../../lib/api.ts';
import { useDiffLook } from '../../ui/diff/view-mode.ts';
import { FormError } from '../../ui/FormError.tsx';
import { Page } from '../../ui/Page.tsx';
import classes from './account.module.css';

export default function PreferencesPage() {
  const { data: preferences } = useSuspenseQuery(accounts.preferences());
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [look, setLook] = useDiffLook();
  const cache = useQueryClient();
  const save = useMutation({
    mutationFn: (value: boolean) =>
      unwrap(client.PUT('/user/preferences', { body: { view_diffs_file_by_file: value } })),
    onSuccess: (fresh) => cache.setQueryData(accounts.preferences().queryKey, fresh),
  });
  return (
    <Page title="Preferences" narrow>
      <Stack gap="md">
        <Text c="var(--mr-dim)">Changes take effect immediately.</Text>
        <Input.Wrapper label="Appearance" description="This browser only" labelElement="div">
          <div>
            <SegmentedControl
              mt={6}
              aria-label="Appearance"
              value={colorScheme}
              onChange={(value) => setColorScheme(value as 'auto' | 'light' | 'dark')}
              data={[
                { value: 'auto', label: 'System theme' },
                { value: 'light', label: 'Light' },
                { value: 'dark', label: 'Dark' },
              ]}
            />
          </div>
        </Input.Wrapper>
      </Stack>
      <section className={classes.section} aria-label="Changes">
        <h2>Changes</h2>
        <Stack gap="md">
          <FormError error={save.error} />
          <Input.Wrapper
            label="Diff layout"
            description="This browser only; narrow windows always show one column"
            labelElement="div"
          >
            <div>
              <SegmentedControl
                mt={6}
                aria-label="Diff layout"
                value={look}
                onChange={(value) => setLook(value as 'Unified' | 'Split')}
                data={[
                  { value: 'Unified', label: 'Inline' },
                  { value: 'Split', label: 'Side by side' },
                ]}
              />
            </div>
          </Input.Wrapper>
          <Checkbox
            label="Show one file at a time"
            description="Your account, in all browsers"
            checked={save.isPending ? save.variables : preferences.view_diffs_file_by_file}
            onChange={(event) => save.mutate(event.currentTarget.checked)}
          />
        </Stack>
      </section>
    </Page>
  );
}
