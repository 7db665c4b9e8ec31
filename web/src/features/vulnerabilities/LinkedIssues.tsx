/** Issues about a vulnerability: the list, linking another one, and removing links. */
import { Button, Group, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  linkedIssues,
  linkIssue,
  type RelatedIssue,
  readIssueReference,
  unlinkIssue,
} from '../../lib/vulnerability.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { issueStatus, StatusBadge } from '../../ui/StatusBadge.tsx';
import classes from './vulnerability.module.css';

interface Props {
  readonly vulnerability: number;
  /** Undefined while they are loaded. */
  readonly issues: readonly RelatedIssue[] | undefined;
  /** Whether the person may link issues. */
  readonly changes: boolean;
}

export function LinkedIssues({ vulnerability, issues, changes }: Props) {
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: linkedIssues(vulnerability).queryKey });
  const [text, setText] = useState('');
  const linking = useForm(async () => {
    const issue = readIssueReference(text);
    if (!issue) throw new Error('Enter the number of an issue, such as #12 or group/project#12, or its URL.');
    await linkIssue(vulnerability, issue);
    setText('');
    await again();
  });
  return (
    <section aria-labelledby="linked-issues">
      <h2 id="linked-issues" className={classes.heading}>
        Linked issues
      </h2>
      {issues?.length === 0 ? <p className={classes.none}>No linked issues</p> : null}
      {issues && issues.length > 0 ? (
        <DataList label="Linked issues">
          {issues.map((issue) => (
            <DataRow
              key={issue.vulnerability_link_id}
              title={
                <a href={issue.web_url} data-entry>
                  {issue.title}
                </a>
              }
              meta={
                <>
                  <StatusBadge status={issueStatus(issue.state)} />
                  <span>{issue.references.relative}</span>
                  {issue.vulnerability_link_type === 'created' ? <span>created from this vulnerability</span> : null}
                </>
              }
              after={
                changes ? (
                  <ConfirmButton
                    title="Remove link"
                    about={`Remove the link to ${issue.references.relative}`}
                    text={`The issue ${issue.references.relative} stays as it is, and is no longer linked to this vulnerability.`}
                    action="Remove link"
                    icon={<IconX size={16} />}
                    run={() => unlinkIssue(vulnerability, issue.vulnerability_link_id)}
                    shown={again}
                  />
                ) : null
              }
            />
          ))}
        </DataList>
      ) : null}
      {changes ? (
        <form {...linking.form} aria-label="Link an issue">
          <FormError error={linking.error} />
          <Group align="end" gap="xs" mt="md">
            <TextInput
              label="Issue"
              description="Number, reference or URL"
              placeholder="#12"
              required
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <Button type="submit" variant="default" loading={linking.pending}>
              Link issue
            </Button>
          </Group>
        </form>
      ) : null}
    </section>
  );
}
